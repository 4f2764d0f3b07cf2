// Loops as generated C++: values and gradients, with the sanitizers.
#include <doctest/doctest.h>

#include <algorithm>

#include "codegen/cpp/write_cpp.hpp"
#include "mithril/base/error.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/registry.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/codegen/numpy/numpy_target.hpp"

namespace mithril::tests {
namespace {

struct StepLoopCase {
  std::string what;
  std::string body;  // the statements of a step
  size_t carries = 0, sequences = 0;
};

// Adds the loop over the body to the graph. Its inputs have the names of those of the body.
std::vector<ValueId> add_loop(Graph& graph, const StepLoopCase& loop, int64_t length,
                              bool reverse) {
  ScanLoop scan{.body = parse_graph("graph {\n" + loop.body + "}\n"),
                .carries = loop.carries,
                .sequences = loop.sequences,
                .length = Datum(length),
                .reverse = reverse};
  for (size_t i = 0; i < scan.body.inputs().size(); ++i) {
    Value value = scan.body.value(scan.body.inputs()[i]);
    if (i >= loop.carries && i < loop.carries + loop.sequences)
      value.dims.insert(value.dims.begin(), Dim(length));
    scan.arguments.push_back(graph.add_input(std::move(value)));
  }
  return add_scan(graph, scan, "loop");
}

Graph graph_of(const StepLoopCase& loop, int64_t length, bool reverse = false) {
  Graph graph;
  const std::vector<ValueId> made = add_loop(graph, loop, length, reverse);
  for (size_t k = 0; k < made.size(); ++k) graph.add_output("y" + std::to_string(k), made[k]);
  return graph;
}

const std::vector<StepLoopCase>& step_loop_cases() {
  static const std::vector<StepLoopCase> cases = {
      {.what = "a recurrent network",
       .body = "input h: float64[2, 4]\n"
               "input x: float64[2, 3]\n"
               "input v: float64[4, 3]\n"
               "input w: float64[4, 4]\n"
               "a: float64[2, 4] = linear(input: x, weight: v, bias: None)\n"
               "b: float64[2, 4] = linear(input: h, weight: w, bias: None)\n"
               "sum: float64[2, 4] = add(left: a, right: b)\n"
               "next: float64[2, 4] = tanh(input: sum)\n"
               "y: float64[2] = sum(input: next, axis: -1)\n"
               "output next = next\n"
               "output y = y\n",
       .carries = 1,
       .sequences = 1},
      {.what = "a carry that depends on the old value of another one",
       .body = "input a: float64[3]\n"
               "input b: float64[3]\n"
               "a_next: float64[3] = multiply(left: a, right: b)\n"
               "b_next: float64[3] = sine(input: a)\n"
               "output a_next = a_next\n"
               "output b_next = b_next\n",
       .carries = 2},
      {.what = "carries that are swapped, and one that stays",
       .body = "input a: float64[3]\n"
               "input b: float64[3]\n"
               "input c: float64[3]\n"
               "input x: float64[3]\n"
               "y: float64[3] = multiply(left: a, right: x)\n"
               "z: float64[3] = add(left: c, right: y)\n"
               "output b = b\n"
               "output a = a\n"
               "output c = c\n"
               "output z = z\n",
       .carries = 3,
       .sequences = 1},
      {.what = "outputs that are inputs, a constant, a view, and one value twice",
       .body = "input h: float64[3]\n"
               "input x: float64[3]\n"
               "input k: float64[3]\n"
               "constant c: float64[3] = {0.5, 2, -1}\n"
               "s: float64[3] = add(left: x, right: c)\n"
               "n: float64[3] = multiply(left: s, right: h)\n"
               "v: float64[3, 1] = reshape(input: n, shape: (3, 1))\n"
               "output next = n\n"
               "output same = n\n"
               "output again = n\n"
               "output view = v\n"
               "output x = x\n"
               "output k = k\n"
               "output c = c\n",
       .carries = 1,
       .sequences = 1},
      {.what = "scalars and integers",
       .body = "input count: int64[]\n"
               "input total: float64[]\n"
               "input x: float64[]\n"
               "input i: int64[]\n"
               "next: int64[] = add(left: count, right: 1)\n"
               "share: float64[] = divide(numerator: x, denominator: next)\n"
               "sum: float64[] = add(left: total, right: share)\n"
               "product: int64[] = multiply(left: count, right: i)\n"
               "output next = next\n"
               "output sum = sum\n"
               "output product = product\n",
       .carries = 2,
       .sequences = 2},
      {.what = "no carry",
       .body = "input x: float64[1, 3]\n"
               "input w: float64[2, 3]\n"
               "t: float64[3, 2] = swapaxes(input: w, axis1: 0, axis2: 1)\n"
               "y: float64[1, 2] = matmul(left: x, right: t)\n"
               "output y = y\n",
       .sequences = 1},
      {.what = "elements without elements",
       .body = "input h: float64[0, 2]\n"
               "input x: float64[0, 2]\n"
               "n: float64[0, 2] = add(left: h, right: x)\n"
               "output n = n\n"
               "output y = n\n",
       .carries = 1,
       .sequences = 1},
      {.what = "a loop in a loop",
       .body = "input h: float64[1, 2]\n"
               "input x: float64[3, 1, 2]\n"
               "input w: float64[2, 2]\n"
               "g: float64[1, 2] = matmul(left: h, right: w)\n"
               "last: float64[1, 2], all: float64[3, 1, 2] = scan(arguments: [g, x, h], body: "
               "\"graph { "
               "input s: float64[1, 2] input e: float64[1, 2] input f: float64[1, 2] "
               "p: float64[1, 2] = multiply(left: s, right: f) "
               "q: float64[1, 2] = add(left: p, right: e) "
               "output q = q output p = p }\", carries: 1, sequences: 1, length: 3, reverse: True, "
               "results: ((float64, (1, 2)), (float64, (3, 1, 2))))\n"
               "output next = last\n"
               "output all = all\n",
       .carries = 1,
       .sequences = 1},
  };
  return cases;
}

// The recurrent network.
ExportedModel exported_network(const Graph& graph, int64_t length) {
  ExportedModel model{.graph = graph, .inputs = {}, .outputs = {}};
  model.inputs.push_back({.key = "h", .dims = {2, 4}});
  model.inputs.push_back({.key = "x", .dims = {length, 2, 3}});
  model.inputs.push_back({.key = "v", .dims = {4, 3}});
  model.inputs.push_back({.key = "w", .dims = {4, 4}});
  model.outputs = {{.key = "last", .index = 0}, {.key = "y", .index = 1}};
  return model;
}

size_t lines_of(const Graph& graph, int64_t length) {
  const std::string text = cpp_source(exported_network(graph, length), "net");
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("generated C++ gives the values and gradients of loops") {
  ModelChecks checks;
  for (const StepLoopCase& loop : step_loop_cases()) {
    for (const int64_t length : {5, 4, 1, 0})
      checks.add_drawn(loop.what + ", " + std::to_string(length) + " steps",
                       graph_of(loop, length, length == 5), 5);
  }
  checks.run();
}

TEST_CASE("the code of a loop is as long for 512 steps as for 2") {
  const StepLoopCase& loop = step_loop_cases().front();
  CHECK(lines_of(graph_of(loop, 512), 512) == lines_of(graph_of(loop, 2), 2));
}

TEST_CASE("a target without nested statements refuses a loop") {
  const Graph graph = graph_of(step_loop_cases().front(), 3);
  std::string text;
  try {
    numpy_source(exported_network(graph, 3), "net");
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(text ==
        "mithril.BackendError[E1031]: loop_0: there is no NumPy for the op scan\n"
        "  help: loops and branches can be written in C++, JavaScript and WebAssembly, and run on "
        "backends");
}

TEST_CASE("a loop reads its own memory and that of other statements") {
  Graph graph;
  const StepLoopCase& loop = step_loop_cases().front();
  const std::vector<ValueId> first = add_loop(graph, loop, 4, false);
  ScanLoop again = scan_of(graph.nodes().back());
  again.arguments[0] = graph.add(find_op("multiply"), {first[0], Datum(0.5)}, "half").front();
  again.reverse = true;
  const std::vector<ValueId> second = add_scan(graph, again, "again");
  const ValueId both =
      graph.add(find_op("add"), {first[1], second[1]}, "both").front();  // both live on
  graph.add_output("both", both);
  graph.add_output("last", second[0]);
  ModelChecks checks;
  checks.add_drawn("two loops", graph, 5);
  checks.run();
}

TEST_CASE("hostile names of a loop and its step") {
  StepLoopCase loop{.what = "hostile",
                    .body =
                        "input `step`: float64[2]\n"
                        "input `Carry`: float64[2]\n"
                        "input `*/ #error`: float64[2]\n"
                        "input `inputs`: float64[2]\n"
                        "`a\\nint b`: float64[2] = multiply(left: `step`, right: `*/ #error`)\n"
                        "`at`: float64[2] = add(left: `a\\nint b`, right: `Carry`)\n"
                        "`step.carry`: float64[2] = multiply(left: `at`, right: `inputs`)\n"
                        "`i`: float64[] = sum(input: `step.carry`)\n"
                        "`tensor`: float64[2] = add(left: `at`, right: `i`)\n"
                        "output `\\\\` = `tensor`\n"
                        "output `workspace` = `at`\n"
                        "output `std` = `i`\n",
                    .carries = 2,
                    .sequences = 1};
  ModelChecks checks;
  checks.add_drawn(loop.what, graph_of(loop, 3), 5);
  checks.run();
}

}  // namespace mithril::tests
