// Trains a small convolutional network on real digits.
// Usage, from the root of the project: train_digits [epochs] [path of digits.bin]
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>

#include "digits.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

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

int64_t count_right(const ml::Tensor& logits, const ml::Tensor& labels) {
  const float* row = logits.data<float>();
  int64_t right = 0;
  for (const int64_t label : labels.values<int64_t>()) {
    right += std::max_element(row, row + 10) - row == label;
    row += 10;
  }
  return right;
}

// A bar that grows on a terminal; elsewhere one line for each epoch.
void show_progress(int epoch, size_t done, size_t all, double loss, double accuracy) {
  if (done < all && !isatty(STDOUT_FILENO)) return;
  const int filled = static_cast<int>(30 * done / all);
  std::printf("\repoch %2d [%s%s] loss %.4f  accuracy %.4f", epoch,
              std::string(filled, '#').c_str(), std::string(30 - filled, '.').c_str(), loss,
              accuracy);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 12;
  const Digits digits = load_digits(argc > 2 ? argv[2] : "examples/data/digits.bin");

  ml::Model model;
  model |= network()({{"image", "image"}, {"logits", "logits"}});
  model |= ml::CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= ml::Mean()({{"input", "losses"}, {"output", "loss"}});
  const auto compiled =
      ml::compile(model, ml::cpu(),
                  {.shapes = {{"image", {ml::any, 1, 8, 8}}}, .data_keys = {"image", "label"}});
  std::printf("%s%s\n", network().summary().c_str(), compiled.summary().c_str());

  std::vector<size_t> order(static_cast<size_t>(digits.count));
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<size_t> train(order.begin(), order.begin() + 1437);
  const std::vector<size_t> test(order.begin() + 1437, order.end());

  auto params = compiled.get_parameters();
  ml::Adam optimizer({.lr = 3e-3});
  ml::TrainingStep step(compiled, optimizer, {{"loss", ml::Tensor::scalar(1.0f)}});
  constexpr size_t batch = 32;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(train.begin(), train.end(), random);
    double loss = 0;
    int64_t right = 0;
    for (size_t start = 0; start < train.size(); start += batch) {
      const size_t end = std::min(start + batch, train.size());
      const std::vector<size_t> rows(train.begin() + static_cast<long>(start),
                                     train.begin() + static_cast<long>(end));
      const ml::TensorMap data = {{"image", digits.images_of(rows)},
                                  {"label", digits.labels_of(rows)}};
      const ml::TensorMap outputs = step(params, data);
      loss += outputs.at("loss").item() * static_cast<double>(rows.size());
      right += count_right(outputs.at("logits"), data.at("label"));
      const auto seen = static_cast<double>(end);
      show_progress(epoch, end, train.size(), loss / seen, static_cast<double>(right) / seen);
    }
    std::printf("\n");
  }

  const ml::TensorMap data = {{"image", digits.images_of(test)}, {"label", digits.labels_of(test)}};
  const auto outputs = compiled.evaluate(params, data);
  const double accuracy = static_cast<double>(count_right(outputs.at("logits"), data.at("label"))) /
                          static_cast<double>(test.size());
  std::printf("test accuracy %.4f\n", accuracy);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
