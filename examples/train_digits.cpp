// Trains a small convolutional network on real digits.
// Usage, from the root of the project: train_digits [epochs] [path of digits.bin] [path of the
// package]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "digits.hpp"
#include "mithril/mithril.hpp"
#include "terminal.hpp"

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

// The first images of a batch, and what the model sees in them.
void show_predictions(const ml::TensorMap& outputs, const ml::TensorMap& data) {
  const ml::Tensor predicted = ml::argmax(outputs.at("logits"), 1);
  const auto found = predicted.values<int64_t>();
  const auto labels = data.at("label").values<int64_t>();
  std::vector<std::string> captions;
  for (size_t i = 0; i < 4; ++i)
    captions.push_back("predicted " + std::to_string(found[i]) +
                       (found[i] == labels[i] ? "" : ", is " + std::to_string(labels[i])));
  std::printf("%s\n", pictures(data.at("image"), captions).c_str());
}

void show_next_commands(const std::string& package) {
  const std::string serve = ".venv/bin/python -m mithril serve " + package;
  std::printf("Next:\n  %-52s # builds the Python package\n", "make python");
  std::printf("  %-52s # the same in Python\n", ".venv/bin/python examples/python/train_digits.py");
  std::printf("  %-52s # serves the package over HTTP\n", serve.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 12;
  const Digits digits = load_digits(argc > 2 ? argv[2] : "examples/data/digits.bin");
  const std::string package = argc > 3 ? argv[3] : "build/digits.zip";

  ml::Model shown = network();
  shown.set_shapes({{"image", {"N", 1, 8, 8}}});
  std::printf("%s\n", shown.summary().c_str());

  ml::Model model;
  model |= network()({{"image", "image"}, {"logits", "logits"}});
  model |= ml::CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= ml::Mean()({{"input", "losses"}, {"output", "loss"}});
  const auto compiled =
      ml::compile(model, ml::cpu(),
                  {.shapes = {{"image", {ml::any, 1, 8, 8}}}, .data_keys = {"image", "label"}});

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
  std::vector<double> losses;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(train.begin(), train.end(), random);
    double loss = 0, right = 0;
    for (size_t start = 0; start < train.size(); start += batch) {
      const size_t end = std::min(start + batch, train.size());
      const std::vector<size_t> rows(train.begin() + static_cast<long>(start),
                                     train.begin() + static_cast<long>(end));
      const ml::TensorMap data = {{"image", digits.images_of(rows)},
                                  {"label", digits.labels_of(rows)}};
      const ml::TensorMap outputs = step(params, data);
      const auto count = static_cast<double>(rows.size());
      losses.push_back(outputs.at("loss").item());
      loss += losses.back() * count;
      right += accuracy(outputs, data) * count;
    }
    const auto count = static_cast<double>(train.size());
    std::printf("epoch %2d  loss %.4f  accuracy %.4f\n", epoch, loss / count, right / count);
    std::fflush(stdout);
  }
  std::printf("\nloss of each step\n%s\n", curve(losses).c_str());

  const ml::TensorMap data = {{"image", digits.images_of(test)}, {"label", digits.labels_of(test)}};
  const auto outputs = compiled.evaluate(params, data);
  show_predictions(outputs, data);
  std::printf("test accuracy %.4f\n", accuracy(outputs, data));

  ml::save_package(package, model, params, {.shapes = {{"image", {"N", 1, 8, 8}}}});
  std::printf("saved %s\n", package.c_str());
  show_next_commands(package);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
