// Expansion of ops into other ops. The test defines the ops.
#include <doctest/doctest.h>

#include "mithril/graph/grad_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"

using namespace mithril;

namespace {

using Expand = void (*)(ExpandContext&);

OpDef expanding(const char* name, Expand expand) {
  OpDef op{.name = name,
           .doc = "Of a test.",
           .inputs = {{"input", "*s", "T=any"}},
           .outputs = {{"output", "*s", "T"}},
           .expand = expand};
  compile_patterns(op);
  return op;
}

// input + input
const OpDef& twice() {
  static const OpDef op =
      expanding("twice", [](ExpandContext& e) { e.become(e.in("input") + e.in("input")); });
  return op;
}

// twice(twice(input))
const OpDef& four_times() {
  static const OpDef op = expanding("four_times", [](ExpandContext& e) {
    const Expression x = e.in("input");
    const ValueId once = x.graph->add(twice(), {x.id}, *x.scope + ".once").front();
    e.become({x.graph, x.graph->add(twice(), {once}, *x.scope + ".again").front(), x.scope});
  });
  return op;
}

const OpDef& nothing() {
  static const OpDef op = expanding("nothing", [](ExpandContext& e) { e.become(e.in("input")); });
  return op;
}

const OpDef& endless() {
  static const OpDef op = expanding("endless", [](ExpandContext& e) {
    const Expression x = e.in("input");
    e.become({x.graph, x.graph->add(endless(), {x.id}, *x.scope + ".more").front(), x.scope});
  });
  return op;
}

Graph graph_of(const OpDef& op) {
  Graph graph = parse_graph("graph { input x: float32[N] }");
  const ValueId y = graph.add(op, {graph.inputs()[0]}, "part.output").front();
  graph.add_output("z", graph.add(find_op("relu"), {y}, "z").front());
  return graph;
}

}  // namespace

TEST_CASE("the result of an expansion has the name of the expanded op") {
  CHECK(to_string(expand_ops(graph_of(twice()))) == R"(graph {
  input x: float32[N]
  part.output: float32[N] = add(left: x, right: x)
  z: float32[N] = relu(input: part.output)
  output z = z
}
)");
}

TEST_CASE("ops expand into ops that expand") {
  const Graph graph = expand_ops(graph_of(four_times()));
  CHECK_NOTHROW(verify(graph));
  CHECK(to_string(graph) == R"(graph {
  input x: float32[N]
  part.output.once: float32[N] = add(left: x, right: x)
  part.output: float32[N] = add(left: part.output.once, right: part.output.once)
  z: float32[N] = relu(input: part.output)
  output z = z
}
)");
}

TEST_CASE("an op may become its input") {
  CHECK(to_string(expand_ops(graph_of(nothing()))) == R"(graph {
  input x: float32[N]
  z: float32[N] = relu(input: x)
  output z = z
}
)");
}

TEST_CASE("an op that expands into itself is a fault of its record") {
  CHECK_THROWS_WITH_AS(
      expand_ops(graph_of(endless())),
      "mithril.ValueError[E0475]: the record of op 'endless' is faulty: it expands into itself",
      ValueError);
}
