// The graph that reaches the backend: optimization levels, and backends that need all of it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

// Runs as the CPU backend, and records the graphs that it gets.
class Keeping final : public Backend {
 public:
  explicit Keeping(GraphOptions options = {}) : options_(options) {}
  std::string_view name() const override { return cpu_->name(); }
  DType default_dtype() const override { return cpu_->default_dtype(); }
  GraphOptions graph_options() const override { return options_; }
  std::vector<std::string> missing(const Graph& graph) const override {
    return cpu_->missing(graph);
  }
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    graphs.push_back(graph);
    return cpu_->load(graph, options);
  }
  std::vector<Graph> graphs;

 private:
  const GraphOptions options_;
  const std::shared_ptr<Backend> cpu_ = cpu();
};

// `twice` and `again` are equal, nothing reads `unread`, and `y` expands into other ops.
Model model_to_optimise() {
  Model model;
  model |= Relu()({{"input", "x"}, {"output", "twice"}});
  model |= Relu()({{"input", "x"}, {"output", "again"}});
  model |= Sine()({{"input", "x"}, {"output", "unread"}});
  model |= Model::op("multiply")({{"left", "twice"}, {"right", "again"}, {"output", "product"}});
  model |= Model::op("absolute_error")({{"input", "product"}, {"target", "x"}, {"output", "y"}});
  model.expose_keys({"y"});
  return model;
}

std::string made(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(graph.value(node.outputs.front()).name);
  return join(names, " ");
}

std::string compiled_to(const CompileOptions& options, GraphOptions wanted = {}) {
  const auto backend = std::make_shared<Keeping>(wanted);
  compile(model_to_optimise(), backend, options);
  return made(backend->graphs.at(0));
}

// softmax(query @ key.T) @ value, the key with a weight.
Model attention_written_out() {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "weight"}, {"output", "key"}});
  model |= SwapAxes({.axis1 = 1, .axis2 = 2})({{"input", "key"}, {"output", "turned"}});
  model |= Model::op("matmul")({{"left", "x"}, {"right", "turned"}, {"output", "scores"}});
  model |= Softmax()({{"input", "scores"}, {"output", "weights"}});
  model |= Model::op("matmul")({{"left", "weights"}, {"right", "x"}, {"output", "y"}});
  return model.expose_keys({"y"});
}

std::string attention_compiled_to(CompileOptions options, GraphOptions wanted) {
  const auto backend = std::make_shared<Keeping>(wanted);
  options.shapes = {{"x", {2, 3, 4}}, {"weight", {4}}};
  options.trainable_keys = {"weight"};
  compile(attention_written_out(), backend, options);
  return made(backend->graphs.back());
}

const std::string all = "twice again unread product y.subtract_4 y";
const CompileOptions level_none{.shapes = {{"x", {3, 2}}},
                                .optimization_level = mithril::OptimizationLevel::none};

}  // namespace

TEST_CASE("optimization level none keeps every value of the model") {
  CHECK(compiled_to(level_none) == all);
}

TEST_CASE("by default common subexpressions and dead nodes are eliminated") {
  const std::string fewer = "twice product y.subtract_4 y";
  CHECK(compiled_to({.shapes = {{"x", {3, 2}}}}) == fewer);
  CHECK(compiled_to({.shapes = {{"x", {3, 2}}},
                     .optimization_level = mithril::OptimizationLevel::max}) == fewer);
}

TEST_CASE("a backend can request graphs as they were composed") {
  CHECK(compiled_to({.shapes = {{"x", {3, 2}}}}, {.as_composed = true}) == all);
}

TEST_CASE("attention written as several ops is fused in inference if the backend asks for it") {
  const std::string written = "key turned scores weights y";
  const GraphOptions wanted{.fused_attention = true};
  CHECK(attention_compiled_to({.inference = true}, wanted) == "key y");
  CHECK(attention_compiled_to({.inference = true}, {}) == written);
  CHECK(attention_compiled_to({}, wanted) == written);
  CHECK(attention_compiled_to(
            {.inference = true, .optimization_level = mithril::OptimizationLevel::none}, wanted) ==
        written);
  CHECK(attention_compiled_to({.inference = true},
                              {.fused_attention = true, .as_composed = true}) == written);
}

TEST_CASE(
    "attention written as several ops is fused in a bound model unless it has a hook inside") {
  const auto backend = std::make_shared<Keeping>(GraphOptions{.fused_attention = true});
  const CompiledModel compiled =
      compile(attention_written_out(), backend,
              {.shapes = {{"x", {2, 3, 4}}, {"weight", {4}}}, .trainable_keys = {"weight"}});
  CompiledModel bound = compiled.bind(compiled.get_parameters());
  CHECK(made(backend->graphs.back()) == "key y");
  Dims seen;
  bound.register_hook("weights", [&](const Tensor& weights) { seen = weights.dims(); });
  bound.evaluate({}, {{"x", Tensor::full(DType::float32, {2, 3, 4}, 1)}});
  CHECK(seen == Dims{2, 3, 3});
}

TEST_CASE("gradients are the same at every optimization level") {
  const tests::CacheFolder folder;
  const Tensor x = Tensor::of<float>({3, 2}, {2, -2, 3, 4, -5, 6});
  const auto gradient = [&](CompileOptions options) {
    options.trainable_keys = {"x"};
    const CompiledModel compiled = compile(model_to_optimise(), cpu(), options);
    const Tensor ones = Tensor::full(DType::float32, {3, 2}, 1);
    return compiled.evaluate({{"x", x}}, {}, {{"y", ones}}).second.at("x");
  };
  // |x * x - x| for x > 0, else |x|
  const Tensor expected = Tensor::of<float>({3, 2}, {3, -1, 5, 7, -1, 11});
  for (const char* level : {"none", "standard", "max"}) {
    CAPTURE(level);
    CHECK(identical(gradient({.shapes = {{"x", {3, 2}}},
                              .optimization_level = mithril::optimization_level_named(level)}),
                    expected));
  }
}

TEST_CASE("options that rewrite the graph are refused in eager mode") {
  const auto text = [](const CompileOptions& options) {
    return tests::text_of_error([&] { compiled_to(options, {.as_composed = true}); });
  };
  CHECK(text({.use_checkpointing = true}) ==
        "mithril.ValueError[E0432]: eager_mode runs the composed ops one by one, which excludes "
        "use_checkpointing\n"
        "  help: leave one of the two out");
  CHECK(text({.optimization_level = mithril::OptimizationLevel::max}) ==
        "mithril.ValueError[E0432]: eager_mode runs the composed ops one by one, which excludes "
        "optimization_level='max'\n"
        "  help: leave one of the two out");
}

}  // namespace mithril
