// Finds training samples with wrong labels: those whose gradients disagree with clean samples.
// A tenth of the labels is changed. While the network learns, the program adds up the inner
// products of each sample's gradient with those of 64 clean validation samples. The samples with
// the lowest sums are mostly the changed ones; the program fails if it finds less than 90 %.
// examples/python/find_mislabelled.py is the same program, with pictures.
// Usage, from the root of the project: find_mislabelled [epochs] [path of digits.bin]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <set>

#include "digits.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

using Rows = std::vector<size_t>;

ml::Model network() {
  ml::Model net;
  net |= ml::Conv2d({.filters = 16, .kernel_size = 3, .padding = 1})({{"input", "image"}});
  net += ml::Relu();
  net += ml::MaxPool2D({.kernel_size = 2});
  net += ml::Conv2d({.filters = 32, .kernel_size = 3, .padding = 1});
  net += ml::Relu();
  net += ml::Flatten({.start_dim = 1});
  net += ml::Linear({.dimension = 10})({{"output", "logits"}});
  return net;
}

ml::TensorMap data_of(const Digits& digits, const Rows& rows) {
  return {{"image", digits.images_of(rows)}, {"label", digits.labels_of(rows)}};
}

// Moves 64 rows, as many of each digit as possible, from `train` to the result.
Rows take_validation(const Digits& digits, Rows& train) {
  Rows taken;
  for (int round = 0; taken.size() < 64; ++round) {
    for (int64_t digit = 0; digit < 10 && taken.size() < 64; ++digit) {
      const auto at = std::find_if(train.begin(), train.end(),
                                   [&](size_t row) { return digits.labels[row] == digit; });
      taken.push_back(*at);
      train.erase(at);
    }
  }
  return taken;
}

// Changes the labels of a tenth of the rows, and returns these.
std::set<size_t> change_labels(Digits& digits, const Rows& train, std::mt19937& random) {
  Rows rows = train;
  std::shuffle(rows.begin(), rows.end(), random);
  rows.resize(train.size() / 10);
  std::uniform_int_distribution<int64_t> other(1, 9);
  for (const size_t row : rows) digits.labels[row] = (digits.labels[row] + other(random)) % 10;
  return {rows.begin(), rows.end()};
}

// The sums of the inner products of each row over the epochs after the first one, whose network
// knows too little.
std::vector<double> train_with_scores(const Digits& digits, const ml::TensorMap& validation,
                                      Rows train, int epochs, std::mt19937& random) {
  ml::Model model;
  model |= network()({{"image", "image"}, {"logits", "logits"}});
  model |= ml::CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  const auto compiled =
      ml::compile(model, ml::cpu(),
                  {.shapes = {{"image", {ml::any, 1, 8, 8}}}, .data_keys = {"image", "label"}});
  const ml::PerSample samples(compiled, {.losses = "losses"});
  ml::TensorMap params = compiled.get_parameters();
  ml::SGD optimizer({.lr = 0.05, .momentum = 0.9});
  std::vector<double> scores(digits.labels.size());
  constexpr size_t batch = 16;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(train.begin(), train.end(), random);
    double loss = 0;
    for (size_t start = 0; start < train.size(); start += batch) {
      const size_t end = std::min(start + batch, train.size());
      const Rows rows(train.begin() + static_cast<long>(start),
                      train.begin() + static_cast<long>(end));
      const ml::SampleDots dots = samples.dots(params, data_of(digits, rows), validation);
      for (size_t i = 0; i < rows.size(); ++i) {
        if (epoch > 1) scores[rows[i]] += dots.total.data<float>()[i];
        loss += dots.losses.data<float>()[i];
      }
      optimizer.step(params, dots.gradients);
    }
    std::printf("epoch %2d  loss %.4f\n", epoch, loss / static_cast<double>(train.size()));
  }
  return scores;
}

}  // namespace

int main(int argc, char** argv) try {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 8;
  Digits digits = load_digits(argc > 2 ? argv[2] : "examples/data/digits.bin");
  std::mt19937 random(0);
  Rows train(digits.labels.size());
  std::iota(train.begin(), train.end(), size_t{0});
  std::shuffle(train.begin(), train.end(), random);
  const ml::TensorMap validation = data_of(digits, take_validation(digits, train));
  const std::set<size_t> changed = change_labels(digits, train, random);

  const std::vector<double> scores = train_with_scores(digits, validation, train, epochs, random);
  std::sort(train.begin(), train.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  const auto end = train.begin() + static_cast<long>(train.size() * 15 / 100);
  const auto count =
      std::count_if(train.begin(), end, [&](size_t row) { return changed.contains(row); });
  const double found = static_cast<double>(count) / static_cast<double>(changed.size());
  std::printf("%.1f%% of %zu changed labels are among the lowest 15 %% of the scores\n",
              100 * found, changed.size());
  return found >= 0.9 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
