// Trains with a schedule, validates after each epoch, stops early, and keeps the best parameters.
// examples/python/validate_digits.py is the same program; each continues a run of the other.
// Usage, from the root of the project: validate_digits [folder of checkpoints] [epochs]
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "digits.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

ml::Model network() {
  ml::Model net;
  net |= ml::Conv2d({.filters = 16, .kernel_size = 3, .padding = 1})({{"input", "image"}});
  net += ml::BatchNorm2D();
  net += ml::Relu();
  net += ml::MaxPool2D({.kernel_size = 2});
  net += ml::Flatten({.start_dim = 1});
  net += ml::Linear({.dimension = 64});
  net += ml::Relu();
  net += ml::Dropout({.p = 0.3});
  net += ml::Linear({.dimension = 10})({{"output", "logits"}});
  return net;
}

}  // namespace

int main(int argc, char** argv) try {
  const Digits digits = load_digits("examples/data/digits.bin");
  const ml::TensorMap held_out = part_of(digits, 3, 3), test = part_of(digits, 4, 4);
  ml::TrainModel model(network());
  model.add_loss(ml::CrossEntropy(), {{"input", "logits"}, {"target", "label"}});
  const auto compiled = ml::compile(model, ml::cpu(), {.shapes = {{"image", {ml::any, 1, 8, 8}}}});
  ml::AdamW optimizer({.lr = ml::CosineSchedule{.lr = 3e-3, .steps = 12 * 34, .warmup = 34}});
  ml::TrainingStep step(compiled, optimizer, {.max_norm = 1.0});
  const ml::History history = ml::fit(step, part_of(digits, 0, 2),
                                      {.epochs = argc > 2 ? std::atoi(argv[2]) : 12,
                                       .validation = held_out,
                                       .metrics = {{"accuracy", accuracy}},
                                       .patience = 3,
                                       .checkpoint = argc > 1 ? argv[1] : ""});
  const auto best = compiled.bind(history.best, history.best_state);
  std::printf("test accuracy %.4f\n", accuracy(best.evaluate({}, test), test));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
