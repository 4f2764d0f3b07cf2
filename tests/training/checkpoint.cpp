// Checkpoints in C++, and weights that need rules; python/tests/training/test_checkpoints.py has
// more.
#include "mithril/training/checkpoint.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/grad_scaler.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/serialization/safetensors.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/load_weights.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;

Model trained_model() {
  Model layers;
  layers |= Linear({.dimension = 8})({{"input", "x"}});
  layers += Dropout({.p = 0.3});
  layers += Linear({.dimension = 1})({{"output", "y"}});
  TrainModel train(layers);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return train;
}

CompiledModel compiled_model(const Model& model) {
  return compile(model, cpu(), {.shapes = {{"x", {4, 3}}}});
}

TensorMap training_data(int step) {
  return {{"x", Tensor::full(DType::float32, {4, 3}, 0.25 * step)},
          {"t", Tensor::full(DType::float32, {4, 1}, 1)}};
}

void check_all_same(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& [key, tensor] : a) CHECK(identical(tensor, b.at(key)));
}

}  // namespace

TEST_CASE("a run that continues from a checkpoint has the same bits") {
  const FileFolder folder;
  const std::string path = folder.at("run.safetensors");
  const Model model = trained_model();
  const CompiledModel compiled = compiled_model(model);
  TensorMap params = compiled.get_parameters();
  Adam optimizer({.lr = 0.01});
  TrainingStep step(compiled, optimizer);
  for (int i = 0; i < 3; ++i) step(params, training_data(i));
  save(path, params, {.model = &model, .optimizer = &optimizer, .step = &step});

  const Checkpoint saved = load(path);
  REQUIRE(saved.model);
  CHECK(*saved.model == model);
  const CompiledModel again = compiled_model(*saved.model);
  TensorMap resumed = again.load_state_dict(saved.params);
  Adam other;
  other.load_state_dict(saved.optimizer);
  TrainingStep continued(again, other);
  continued.set_state(saved.state);
  for (int i = 3; i < 6; ++i) {
    step(params, training_data(i));
    continued(resumed, training_data(i));
  }
  check_all_same(resumed, params);
  check_all_same(continued.state(), step.state());
  check_all_same(other.state_dict(), optimizer.state_dict());
}

TEST_CASE("a checkpoint has the state of a grad scaler, and texts of the user") {
  const FileFolder folder;
  const std::string path = folder.at("run.safetensors");
  const TensorMap params = {{"w", Tensor::scalar(1.0f)}};
  GradScaler scaler({.scale = 1024, .growth_factor = 4, .growth_interval = 2});
  for (int i = 0; i < 3; ++i) {
    scaler.unscale({{"w", Tensor::scalar(1.0f)}});
    scaler.update();
  }
  save(path, params, {.scaler = &scaler, .metadata = {{"note", "x"}, {"format", "mine"}}});
  const Checkpoint saved = load(path);
  check_all_same(saved.params, params);
  CHECK(saved.metadata == FileMetadata{{"format", "mithril"}, {"note", "x"}});
  REQUIRE(saved.scaler);
  GradScaler other;
  other.load_state_dict(*saved.scaler);
  CHECK(other.get_scale() == 4096);
  CHECK(other.state_dict().growth_factor == 4);
  CHECK(other.state_dict().backoff_factor == 0.5);
  CHECK(other.state_dict().growth_interval == 2);
  CHECK(other.state_dict().growth_tracker == 1);
  const GradScaler disabled({}, false);
  save(path, params, {.scaler = &disabled});
  CHECK(!load(path).scaler);
}

TEST_CASE("weights are renamed, split and transposed by rules, and casts are reported") {
  const FileFolder folder;
  Model net;
  net |= Linear({.dimension = 2}).named("q")({{"input", "x"}, {"output", "a"}});
  net |= Linear({.dimension = 2}).named("k")({{"input", "x"}, {"output", "b"}});
  net.expose_keys({"a", "b"});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"x", {1, 3}}}, .data_keys = {"x"}});
  std::vector<double> numbers(12);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const std::string path = save_safetensors(
      folder.at("model.safetensors"), {{"gpt.c_attn.weight", Tensor::of<double>({3, 4}, numbers)},
                                       {"gpt.bias", Tensor(DType::float32, {2})}});
  const WeightSource fused("c_attn.weight");
  const LoadedWeights loaded =
      load_weights(compiled, path,
                   {.prefix = "gpt.",
                    .name_map = {{"q.weight", fused.transposed().taking(0, 2)},
                                 {"k.weight", fused.transposed().taking(1, 2)},
                                 {"*.bias", "bias"}}});
  CHECK(identical(loaded.params.at("q.weight"), Tensor::of<float>({2, 3}, {0, 4, 8, 1, 5, 9})));
  CHECK(identical(loaded.params.at("k.weight"), Tensor::of<float>({2, 3}, {2, 6, 10, 3, 7, 11})));
  CHECK(loaded.params.at("q.bias").raw_data() != loaded.params.at("k.bias").raw_data());
  CHECK(loaded.report.casts.size() == 2);
  CHECK(tests::text_of_error([&] { load_weights(compiled, path); }) ==
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing : q.weight [2, 3]\n"
        "  missing : q.bias [2]\n"
        "  missing : k.weight [2, 3]\n"
        "  missing : k.bias [2]\n"
        "  unknown : gpt.c_attn.weight [3, 4]\n"
        "  unknown : gpt.bias [2]");
}

}  // namespace mithril
