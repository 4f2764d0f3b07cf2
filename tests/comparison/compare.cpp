// Comparing backends on one model.
#include "mithril/comparison/compare.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/comparison/value_mismatch.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/training/classifier.hpp"

namespace mithril {
namespace {

using tests::batch, tests::classifier, tests::text_of_error;

CompileOptions compared_options() {
  return {.shapes = {{"words", {any}}, {"classes", {any}}}, .data_keys = {"words", "classes"}};
}

// A backend that computes a sum of more than one op wrongly, as a compiler that fuses badly would:
// the result of every graph with an `exp` after a `multiply` is off.
class BadlyFusing final : public Backend {
 public:
  std::string_view name() const override { return "fusing"; }
  DType default_dtype() const override { return DType::float32; }
  std::vector<std::string> missing(const Graph& graph) const override {
    return inner_->missing(graph);
  }
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    Graph wrong;
    wrong.share_facts(graph);
    std::vector<ValueId> map(graph.values().size());
    for (const ValueId id : graph.inputs()) map[index(id)] = wrong.add_input(graph.value(id));
    for (const Constant& constant : graph.constants())
      map[index(constant.value)] =
          wrong.add_constant(graph.value(constant.value).name, constant.tensor);
    std::vector<bool> product(graph.values().size());
    for (Node node : graph.nodes()) {
      bool fused = false;
      for (Argument& argument : node.arguments) {
        ValueId* id = std::get_if<ValueId>(&argument);
        fused = fused || (id && product[index(*id)] && node.op->name == "exp");
        if (id) *id = map[index(*id)];
      }
      for (ValueId& id : node.outputs) {
        product[index(id)] = node.op->name == "multiply";
        map[index(id)] = wrong.add_value(graph.value(id));
      }
      const std::vector<ValueId> old = node.outputs;
      for (ValueId& id : node.outputs) id = map[index(id)];
      wrong.add_node(node);
      if (fused) {
        const std::string name = graph.value(old.front()).name + ".wrong";
        map[index(old.front())] =
            wrong.add(find_op("multiply"), {map[index(old.front())], Datum(1.5)}, name).front();
      }
    }
    for (const Output& output : graph.outputs())
      wrong.add_output(output.name, map[index(output.value)]);
    return inner_->load(wrong, options);
  }

 private:
  std::shared_ptr<Backend> inner_ = cpu();
};

Model chain() {
  Model model;
  model |= Model::op("sin")({{"input", "x"}, {"output", "a"}});
  model |= Model::op("multiply")({{"left", "a"}, {"right", "b"}, {"output", "c"}});
  model |= Model::op("exp")({{"input", "c"}, {"output", "d"}});
  model |= Model::op("tanh")({{"input", "d"}, {"output", "y"}});
  model.expose_keys({"y"});
  return model;
}

}  // namespace

TEST_CASE("backends that agree give no differences") {
  const CompiledModel compiled = compile(classifier(), cpu(), compared_options());
  const BackendComparison found =
      compare(classifier(), {cpu(), cpu({.reference = true})}, compiled.get_parameters(), batch(6),
              {}, compared_options());
  CAPTURE(found.text());
  CHECK(found.agrees());
  CHECK(found.nodes > 20);
  CHECK(found.text() == "cpu, cpu 2 agree on " + std::to_string(found.nodes) + " ops\n");
}

TEST_CASE("a comparison uses the names that it is given for the backends") {
  const CompiledModel compiled = compile(classifier(), cpu(), compared_options());
  const BackendComparison found =
      compare(compiled, {cpu({.reference = true})}, compiled.get_parameters(), batch(6),
              {.names = {"a", "b"}});
  CHECK(found.text() == "a, b agree on " + std::to_string(found.nodes) + " ops\n");
  CHECK(text_of_error([&] {
          compare(compiled, {cpu({.reference = true})}, compiled.get_parameters(), batch(6),
                  {.names = {"a"}});
        }) ==
        "mithril.ValueError[E0438]: compare: 2 backends, and names of 1\n"
        "  help: name the reference first, and then each other backend");
}

TEST_CASE("a fault of fused ops is found in the whole graph and reduced to them") {
  const TensorMap data{{"x", Tensor::full(DType::float32, {3}, 0.5)},
                       {"b", Tensor::full(DType::float32, {3}, 0.25)}};
  const BackendComparison found =
      compare(chain(), {cpu(), std::make_shared<BadlyFusing>()}, {}, data, {.reduce = true},
              {.shapes = {{"x", {3}}, {"b", {3}}}, .data_keys = {"x", "b"}});
  CAPTURE(found.text());
  REQUIRE(found.differences.size() == 1);
  const BackendDifference& difference = found.differences.front();
  CHECK(difference.path == "d");
  CHECK(difference.op == "exp");
  CHECK(difference.in_whole_graph);
  REQUIRE(difference.reduced.has_value());
  CHECK(difference.reduced->nodes == 2);
  const Model read = from_json(to_json(difference.reduced->model));
  std::vector<KeyRef> keys;
  for (const auto& [key, tensor] : difference.reduced->data) keys.emplace_back(key);
  const BackendComparison again = compare(read, {cpu(), std::make_shared<BadlyFusing>()}, {},
                                          difference.reduced->data, {}, {.data_keys = keys});
  CHECK(!again.agrees());
  CHECK(compare(read, {cpu(), cpu({.reference = true})}, {}, difference.reduced->data, {},
                {.data_keys = keys})
            .agrees());
}

TEST_CASE("the worst element of two values is found") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, nan, 4});
  CHECK(!value_mismatch(a, a, 0).has_value());
  const auto found = value_mismatch(Tensor::of<float>({2, 2}, {1, 2.5, nan, 4.1F}), a, 0.2);
  REQUIRE(found.has_value());
  CHECK(found->worst == Dims{0, 1});
  CHECK(found->expected == 2);
  CHECK(found->got == 2.5);
  CHECK(!value_mismatch(Tensor::of<float>({2, 2}, {1, 2.5, nan, 4.1F}), a, 0.6).has_value());
  CHECK(value_mismatch(Tensor::of<float>({2, 2}, {1, 2, 3, 4}), a, 100).has_value());
  CHECK(value_mismatch(Tensor::of<float>({4}, {1, 2, nan, 4}), a, 100).has_value());
}

TEST_CASE("less than two backends are refused") {
  const TensorMap none;
  CHECK(text_of_error([&] { compare(chain(), {cpu()}, none, none); }) ==
        "mithril.ValueError[E0438]: compare needs at least two backends\n"
        "  help: the first is the reference, such as ml::cpu({.reference = true})");
  CHECK(text_of_error([&] {
          compare(chain(), {cpu(), cpu({.dtype = DType::float64})}, none, none);
        }).find("E1061") != std::string::npos);
  CHECK(text_of_error([&] {
          compare(chain(), {cpu(), nullptr}, none, none);
        }) ==
        "mithril.BackendError[E1052]: compare: a backend is null\n"
        "  help: give one, such as ml::cpu()");
}

}  // namespace mithril
