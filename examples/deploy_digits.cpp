// Trains, validates, deploys, packages and serves one model. Only training needs labels.
// examples/python/deploy_digits.py is the same program.
// Usage, from the root of the project: deploy_digits [path of the package] [epochs]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "digits.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

// The network with its loss.
ml::Model trained_model() {
  ml::Model net;
  net |= ml::Conv2d({.filters = 16, .kernel_size = 3, .padding = 1})({{"input", "image"}});
  net += ml::BatchNorm2D();
  net += ml::Relu();
  net += ml::MaxPool2D({.kernel_size = 2});
  net += ml::Flatten({.start_dim = 1});
  net += ml::Dropout({.p = 0.3});
  net += ml::Linear({.dimension = 10})({{"output", "logits"}});
  net.set_shapes({{"image", {"N", 1, 8, 8}}});

  ml::Model model;
  model |= net({{"image", "image"}, {"logits", "logits"}});
  model |= ml::CrossEntropy()({{"input", "logits"}, {"target", "label"}, {"output", "losses"}});
  model |= ml::Mean()({{"input", "losses"}, {"output", "loss"}});
  return model;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path =
      argc > 1 ? argv[1] : (std::filesystem::temp_directory_path() / "digits.zip").string();
  const Digits digits = load_digits("examples/data/digits.bin");
  const ml::TensorMap held_out = part_of(digits, 3, 3), test = part_of(digits, 4, 4);
  const ml::TensorMap images = {{"image", test.at("image")}};

  // Train and validate.
  const ml::Model model = trained_model();
  const auto compiled = ml::compile(model, ml::cpu());
  ml::Adam optimizer({.lr = 3e-3});
  ml::TrainingStep step(compiled, optimizer, {{"loss", ml::Tensor::scalar(1.0f)}});
  const ml::History history = ml::fit(step, part_of(digits, 0, 2),
                                      {.epochs = argc > 2 ? std::atoi(argv[2]) : 8,
                                       .loss = "loss",
                                       .validation = held_out,
                                       .metrics = {{"accuracy", accuracy}}});

  // Deploy: the parameters are in the model, and the loss is not an output.
  const auto deployed = compiled.bind(history.best, history.best_state);
  std::printf("deployed %.4f\n", accuracy(deployed.evaluate({}, images), test));

  // Package.
  ml::save_package(path, model, history.best, {.state = &history.best_state});
  const ml::Package package = ml::load_package(path);
  const auto loaded = package.compile_bound(ml::cpu());
  std::printf("packaged %.4f\n", accuracy(loaded.evaluate({}, images), test));

  // Serve.
  ml::Engine engine;
  engine.register_model("digits", package, ml::cpu(), {.max_batch_size = 32});
  std::printf("served %.4f\n", accuracy(engine.infer("digits", images), test));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
