// Choices between two models and loops that a condition ends: values worked out by hand, graphs,
// and errors. python/tests/loops compares with the chosen model and with other libraries.
#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/cond.hpp"
#include "mithril/models/while.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/roll_loops.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

Connection key(const char* name) { return Connection(IOKey{.name = name}); }

Model squares() { return Model::create({{"y", key("x") * key("x")}}); }
Model triples() { return Model::create({{"y", key("x") * 3.0}}); }

// Doubles x while it is below `limit`.
Model doubled_below(std::optional<std::int64_t> max_steps = {}) {
  const Connection x = key("x"), limit = key("limit");
  return While(Model::create({{"below", x < limit}}), Model::create({{"x_next", key("x") * 2.0}}),
               {.carry = {{"x", "x_next"}}, .max_steps = max_steps});
}

std::vector<double> elements_of(const Tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tensor.size(); ++i) all.push_back(tensor.at_as_double(i));
  return all;
}

TensorMap choice_data(bool large) {
  TensorMap map;
  map["x"] = Tensor::of<double>({2}, {2, -5});
  map["large"] = Tensor::of<bool>({}, {large});
  return map;
}

}  // namespace

TEST_CASE("a choice and its gradient, worked out by hand") {
  for (const bool reference : {false, true}) {
    CAPTURE(reference);
    const CompiledModel model = compile(Cond("large", squares(), triples()),
                                        cpu({.dtype = DType::float64, .reference = reference}),
                                        {.shapes = {{"x", {any}}}, .data_keys = {"x", "large"}});
    TensorMap seeds;
    seeds["y"] = Tensor::of<double>({2}, {1, 1});
    const auto large = model.evaluate({}, choice_data(true), seeds, {.gradient_keys = {"x"}});
    CHECK(elements_of(large.first.at("y")) == std::vector<double>{4, 25});
    CHECK(elements_of(large.second.at("x")) == std::vector<double>{4, -10});
    const auto small = model.evaluate({}, choice_data(false), seeds, {.gradient_keys = {"x"}});
    CHECK(elements_of(small.first.at("y")) == std::vector<double>{6, -15});
    CHECK(elements_of(small.second.at("x")) == std::vector<double>{3, 3});
  }
}

TEST_CASE("a choice is one node, its gradient is another one, and their text is read back") {
  const Graph graph = run_passes(
      flatten(Cond("large", squares(), triples()).set_shapes({{"x", {"n"}}}), DType::float32)
          .graph);
  REQUIRE(graph.nodes().size() == 1);
  CHECK(is_cond(graph.nodes().front()));
  CHECK(parse_graph(to_string(graph)) == graph);
  const Graph gradient = run_passes(differentiate(graph, {.outputs = {"y"}, .wanted = {"x"}}));
  CHECK(std::count_if(gradient.nodes().begin(), gradient.nodes().end(), is_cond) == 2);
  CHECK(parse_graph(to_string(gradient)) == gradient);
}

TEST_CASE("nodes that depend on no input of a branch stay outside of it") {
  const Graph graph = roll_loops(parse_graph(R"(graph {
    input x: float32[2]
    input w: float32[2]
    input c: bool[]
    chosen: bool[] = branch_condition(condition: c)
    given: float32[2] = branch_input(input: x, condition: chosen, then: True)
    twice: float32[2] = multiply(left: w, right: 2.0)
    sum: float32[2] = add(left: given, right: twice)
    y: float32[2] = branch_result(then: sum, otherwise: w, condition: chosen)
    output y = y
  })"));
  REQUIRE(graph.nodes().size() == 2);
  CHECK(graph.nodes()[0].op->name == "multiply");
  const CondNode cond = cond_of(graph.nodes()[1]);
  CHECK(cond.then.nodes().size() == 1);
  CHECK(cond.otherwise.nodes().empty());
}

TEST_CASE("a loop with a condition, worked out by hand") {
  TensorMap data;
  data["x"] = Tensor::of<double>({}, {3});
  data["limit"] = Tensor::of<double>({}, {20});
  for (const bool reference : {false, true}) {
    const auto backend = cpu({.dtype = DType::float64, .reference = reference});
    const CompileOptions options{.shapes = {{"x", {}}, {"limit", {}}}, .data_keys = {"x", "limit"}};
    const CompiledModel open = compile(doubled_below(), backend, options);
    CHECK(elements_of(open.evaluate({}, data).at("x_last")) == std::vector<double>{24});
    const CompiledModel bounded = compile(doubled_below(2), backend, options);
    TensorMap seeds;
    seeds["x_last"] = Tensor::of<double>({}, {1});
    const auto result = bounded.evaluate({}, data, seeds, {.gradient_keys = {"x"}});
    CHECK(elements_of(result.first.at("x_last")) == std::vector<double>{12});
    CHECK(elements_of(result.second.at("x")) == std::vector<double>{4});
  }
}

TEST_CASE("errors of branches") {
  const auto graph_with = [](const std::string& statements, const std::string& then) {
    return parse_graph(
        "graph {\n"
        "  input x: float32[2]\n"
        "  input c: bool[]\n"
        "  chosen: bool[] = branch_condition(condition: c)\n"
        "  given: float32[2] = branch_input(input: x, condition: chosen, then: True)\n"
        "  other: float32[2] = branch_input(input: x, condition: chosen, then: False)\n" +
        statements + "  y: float32[2] = branch_result(then: " + then +
        ", otherwise: other, condition: chosen)\n"
        "  output y = y\n"
        "}\n");
  };
  const std::string both = "  sum: float32[2] = add(left: given, right: other)\n";
  CHECK(text_of_error([&] { roll_loops(graph_with(both, "sum")); }) ==
        "mithril.ConnectionError[E0139]: other: 'other' has a value only if its branch runs, and "
        "is read outside of it\n"
        "  branches : chosen\n"
        "  help: make the value an output of both branches");
  CHECK(text_of_error([&] {
          roll_loops(graph_with("", "other"));
        }).starts_with("mithril.ConnectionError[E0139]: other: "));
  const std::string met = "  met: float32[2] = all_reduce_wait(inputs: [given])\n";
  CHECK(text_of_error([&] { roll_loops(graph_with(met, "met")); }) ==
        "mithril.ConnectionError[E0131]: met: op 'all_reduce_wait' cannot be in a branch\n"
        "  help: let processes exchange values before the choice, or after it");
}

}  // namespace mithril::tests
