// Loops: values worked out by hand, graphs, and errors. python/tests/loops compares with
// the same steps written out.
#include "mithril/models/scan.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/roll_loops.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

// h_next = h * x
Model product_step() {
  const Connection x(IOKey{.name = "x"}), h(IOKey{.name = "h"});
  return Model::create({{"h_next", h * x}});
}

Model products(bool reverse = false) {
  return Scan(
      product_step(),
      {.carry = {{"h", "h_next"}}, .sequences = {"x"}, .outputs = {"h_next"}, .reverse = reverse});
}

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tensor.size(); ++i) all.push_back(tensor.at_as_double(i));
  return all;
}

CompiledModel compiled(const Model& model) {
  return compile(model, cpu({.dtype = DType::float64}), {.shapes = {{"x", {any, 1}}, {"h", {1}}}});
}

TensorMap data(const std::vector<double>& x) {
  TensorMap map;
  map["x"] = Tensor::of<double>({static_cast<std::int64_t>(x.size()), 1}, x);
  map["h"] = Tensor::of<double>({1}, {2});
  return map;
}

size_t loops_in(const Graph& graph) {
  return static_cast<size_t>(std::count_if(graph.nodes().begin(), graph.nodes().end(), is_scan));
}

// A loop of one carry over a sequence x: float32[T, 2], whose step computes `statement`.
Graph loop_of(const std::string& statement, const std::string& next) {
  return parse_graph(
      "graph {\n"
      "  input h: float32[2]\n"
      "  input x: float32[3, 2]\n"
      "  steps: int64[3] = scan_steps(length: 3)\n"
      "  carry: float32[2] = scan_carry(initial: h, steps: steps)\n"
      "  item: float32[2] = scan_item(sequence: x, steps: steps)\n" +
      statement + "  last: float32[2] = scan_last(carry: carry, next: " + next +
      ", steps: steps, carried: [carry, " + next +
      "])\n"
      "  output last = last\n"
      "}\n");
}

}  // namespace

TEST_CASE("a loop of any length, worked out by hand") {
  const CompiledModel model = compiled(products());
  const TensorMap out = model.evaluate({}, data({3, 5, 7}));
  CHECK(numbers(out.at("h_next")) == std::vector<double>{6, 30, 210});
  CHECK(numbers(out.at("h_last")) == std::vector<double>{210});
  CHECK(numbers(model.evaluate({}, data({4})).at("h_next")) == std::vector<double>{8});
  const TensorMap none = model.evaluate({}, data({}));
  CHECK(none.at("h_next").dims() == Dims{0, 1});
  CHECK(numbers(none.at("h_last")) == std::vector<double>{2});
}

TEST_CASE("the gradient of a loop, worked out by hand") {
  for (const bool reverse : {false, true}) {
    CAPTURE(reverse);
    const CompiledModel model = compiled(products(reverse));
    TensorMap seeds;
    seeds["h_last"] = Tensor::of<double>({1}, {1});
    const auto result = model.evaluate({}, data({3, 5, 7}), seeds, {.gradient_keys = {"x", "h"}});
    CHECK(numbers(result.second.at("x")) == std::vector<double>{70, 42, 30});
    CHECK(numbers(result.second.at("h")) == std::vector<double>{105});
  }
}

TEST_CASE("a loop is one node, its gradient is one more, and their text is read back") {
  Graph graph = run_passes(
      flatten(products().set_shapes({{"x", {"T", 1}}, {"h", {1}}}), DType::float32).graph);
  CHECK(graph.nodes().size() == 1);
  CHECK(loops_in(graph) == 1);
  CHECK(parse_graph(to_string(graph)) == graph);
  const Graph gradient =
      run_passes(differentiate(graph, {.outputs = {"h_last"}, .wanted = {"x", "h"}}));
  CHECK(loops_in(gradient) == 2);
  CHECK(parse_graph(to_string(gradient)) == gradient);
}

TEST_CASE("nodes that depend on no step stay outside of the loop") {
  const Graph graph =
      roll_loops(loop_of("  twice: float32[2] = multiply(left: h, right: 2.0)\n"
                         "  next: float32[2] = add(left: item, right: twice)\n",
                         "next"));
  REQUIRE(graph.nodes().size() == 2);
  CHECK(scan_of(graph.nodes()[1]).body.nodes().size() == 1);
}

TEST_CASE("the reference and the CPU agree on a loop") {
  const Graph graph =
      run_passes(loop_of("  next: float32[2] = add(left: item, right: carry)\n", "next"));
  const std::vector<Tensor> inputs{Tensor::of<float>({2}, {1, 2}),
                                   Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})};
  CHECK(numbers(interpret(graph, inputs).front()) == std::vector<double>{10, 14});
}

TEST_CASE("errors of loops") {
  const std::string next = "  next: float32[2] = add(left: item, right: carry)\n";
  Graph escapes = loop_of(next, "next");
  escapes.add_output("next", escapes.id_of("next"));
  CHECK(text_of_error([&] { roll_loops(escapes); }) ==
        "mithril.ConnectionError[E0130]: next: 'next' has a value in each step of a loop, and is "
        "read outside of it\n"
        "  loop : steps\n"
        "  help: name the value in `outputs` of Scan, which stacks the values of all steps, or "
        "make it a carry");
  CHECK(text_of_error([&] {
          roll_loops(
              loop_of("  met: float32[2] = all_reduce_wait(inputs: [item])\n"
                      "  next: float32[2] = add(left: met, right: carry)\n",
                      "next"));
        }) ==
        "mithril.ConnectionError[E0131]: met: op 'all_reduce_wait' cannot be in a loop\n"
        "  help: let processes exchange values before the loop, or after it");
  Graph changes = parse_graph(R"(graph {
    input h: float32[2]
    last: float32[2] = scan(arguments: [h], body: "graph { input h: float32[n] next: float32[2*n] = concat(input: [h, h], axis: 0) output next = next }",
                                    carries: 1, sequences: 0, length: 2, reverse: False, results: ((float32, (2,)),))
    output last = last
  })");
  const std::string text = text_of_error([&] {
    interpret(changes, std::vector{Tensor::of<float>({2}, {1, 2})});
  });
  CHECK(text ==
        "mithril.ShapeError[E0219]: h: scan: a step of the loop changes the shape of the carry "
        "'h'\n"
        "  h    : [2]\n"
        "  next : [4]\n"
        "  help: every step must return a carry of the shape that it reads");
}

}  // namespace mithril::tests
