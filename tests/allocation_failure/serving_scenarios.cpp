#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "backends/cpu/cpu.hpp"
#include "examples/models/gpt2.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/generation/generate.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/package/package.hpp"
#include "tests/allocation_failure/scenario.hpp"
#include "tests/allocation_failure/scenario_tensors.hpp"

namespace mithril::tests {
namespace {

// Weights of kernels that read them packed, padded and as they are.
Model image_network() {
  Model model;
  model |= Conv2d({.filters = 16, .kernel_size = 3, .padding = 1})(
      {{"input", "image"}, {"output", "c"}});
  model |= Relu()({{"input", "c"}, {"output", "r"}});
  model |= Flatten({.start_dim = 1})({{"input", "r"}, {"output", "f"}});
  model |= Linear({.dimension = 3})({{"input", "f"}, {"output", "y"}});
  model.expose_keys({"y"});
  return model;
}

CompiledModel compiled_network(int threads) {
  return compile(image_network(), cpu({.threads = threads}),
                 {.shapes = {{"image", {"N", 1, 6, 6}}}, .inference = true});
}

TensorMap images(std::int64_t count) { return {{"image", numbers({count, 1, 6, 6}, -2)}}; }

// Each number of rows is a plan of its own. The state is the next answer of each.
class BoundInference final : public Scenario {
 public:
  explicit BoundInference(int threads) : threads_(threads) {
    for (const auto* each : {&one_, &two_, &many_}) {
      add([this, each] { answer_ = bound_.infer(none_, *each); });
      add([this, each] { answer_ = bound_.evaluate(none_, *each); });
    }
  }
  std::string state() override { return text_of(answer_); }

 private:
  const int threads_;
  const TensorMap none_, one_ = images(1), two_ = images(2), many_ = images(9);
  const CompiledModel compiled_ = compiled_network(threads_);
  const CompiledModel bound_ = compiled_.bind(compiled_.get_parameters(1), State());
  TensorMap answer_;
};

class Generating final : public Scenario {
 public:
  explicit Generating(bool cached)
      : compiled_(compile(gpt2::model(config_, cached ? std::optional<int64_t>(12) : std::nullopt),
                          cpu({.threads = 1}),
                          {.shapes = {{"input_ids", {2, any}}}, .inference = true})) {
    for (int i = 0; i < 2; ++i)
      add([this] { tokens_ = generate(compiled_, params_, prompts_, options_); });
  }
  std::string state() override {
    std::string text = text_of(compiled_.initial_state_dict());
    for (const Tokens& each : tokens_) {
      for (const std::int64_t token : each) text += std::to_string(token) + " ";
    }
    return text;
  }

 private:
  const gpt2::Config config_{
      .vocab_size = 11, .n_positions = 16, .n_embd = 4, .n_layer = 1, .n_head = 1};
  const std::vector<Tokens> prompts_{{5, 7, 3}, {4, 2}};
  const GenerateOptions options_{.max_tokens = 3, .temperature = 2, .seed = 3};
  const CompiledModel compiled_;
  const TensorMap params_ = compiled_.get_parameters(7);
  std::vector<Tokens> tokens_;
};

class Packages final : public Scenario {
 public:
  Packages() {
    for (const std::string* path : {&as_folder_, &as_archive_}) {
      add([this, path] { save_package(*path, model_, first_); });
      add([this, path] { save_package(*path, model_, second_); });
      add([this, path] { package_.emplace(load_package(*path)); });
      add([this] { compiled_.emplace(package_->compile(backend_)); });
      add([this] { package_.reset(); });
    }
  }
  ~Packages() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Packages(const Packages&) = delete;
  Packages& operator=(const Packages&) = delete;

  // Returns what a reader finds, and the number of entries of the folder.
  std::string state() override {
    std::string text = compiled_ ? compiled_->summary() : "";
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_))
      ++entries;
    for (const std::string* path : {&as_folder_, &as_archive_}) {
      if (!std::filesystem::exists(*path)) continue;
      --entries;
      const Package package = load_package(*path);
      text += text_of(package.params());
      text += text_of(package.compile(backend_).evaluate(package.params(), request_));
    }
    return text + std::to_string(entries) + " other entries";
  }

 private:
  static std::string new_folder() {
    std::string path = std::filesystem::temp_directory_path() / "mithril_allocation_XXXXXX";
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
    return path;
  }

  const std::string folder_ = new_folder();
  const Model model_ = image_network();
  const std::shared_ptr<Backend> backend_ = cpu({.threads = 1});
  const CompiledModel of_model_ = compiled_network(1);
  const TensorMap first_ = of_model_.get_parameters(1), second_ = of_model_.get_parameters(2);
  const TensorMap request_ = images(2);
  const std::string as_folder_ = folder_ + "/package";
  const std::string as_archive_ = as_folder_ + ".zip";
  std::optional<Package> package_;
  std::optional<CompiledModel> compiled_;
};

// The calls run in this thread, and in the workers of the engine.
class Serving final : public Scenario {
 public:
  Serving() {
    add([this] { engine_.register_model(name_, compiled_, first_, copied(options_)); });
    add([this] { answer_ = engine_.infer(name_, one_); });
    add([this] { answer_ = engine_.infer_async(name_, one_).get(); });
    add([this] { keep(engine_.infer_batch(name_, requests_)); });
    add([this] { engine_.register_model(name_, compiled_, second_, copied(options_)); });
    add([this] { keep(engine_.infer_batch(name_, requests_)); });
    add([this] { engine_.unload(name_); });
    add([this] { engine_.register_model(name_, compiled_, first_); });
    add([this] { answer_ = engine_.infer(name_, two_); });
  }
  std::string state() override {
    std::string text = text_of(answer_);
    for (const std::string& model : engine_.list_models()) {
      text += model + ": " + text_of(engine_.infer(model, two_));
      const ServingStats stats = engine_.stats(model);
      text += std::to_string(stats.waiting) + " waiting\n";
    }
    return text;
  }

 private:
  void keep(std::vector<InferResult> results) {
    for (const InferResult& result : results) {
      if (result.error) std::rethrow_exception(result.error);
    }
    answer_ = std::move(results.back().outputs);
  }

  const std::string name_ = "a_model_with_a_name_that_needs_memory";
  const CompiledModel compiled_ = compiled_network(1);
  const TensorMap first_ = compiled_.get_parameters(1), second_ = compiled_.get_parameters(2);
  const TensorMap one_ = images(1), two_ = images(2);
  const std::vector<TensorMap> requests_ = [] {
    std::vector<TensorMap> all;
    for (int i = 0; i < 3; ++i) all.push_back(images(1));
    return all;
  }();
  const ServingOptions options_{.max_batch_size = 4};
  Engine engine_{{.threads = 2}};
  TensorMap answer_;
};

}  // namespace

std::vector<NamedScenario> serving_scenarios() {
  return {
      {"bound_inference", make_scenario<BoundInference, 1>},
      {"bound_inference_on_two_threads", make_scenario<BoundInference, 2>},
      {"generating", make_scenario<Generating, false>},
      {"generating_with_a_cache", make_scenario<Generating, true>},
      {"packages", make_scenario<Packages>},
      {"serving", make_scenario<Serving>},
  };
}

}  // namespace mithril::tests
