// Each fault in the record of a user's op is an error with a code.
#include <doctest/doctest.h>

#include <functional>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

OpDef sound() {
  return {.name = "of_a_test",
          .doc = "Of a test.",
          .inputs = {{"input", "N *s", "float"}},
          .outputs = {{"output", "N *s", "float"}},
          .eval = [](EvalContext&) {},
          .not_differentiable = "a test"};
}

// The error about a sound record with this change.
std::string fault(
    const std::function<void(OpDef&)>& change,
    const std::function<void(OpDef)>& use = [](OpDef op) { add_op(std::move(op)); }) {
  OpDef op = sound();
  change(op);
  const std::string text = text_of_error([&] { use(std::move(op)); });
  const std::string head = "the record of op 'of_a_test' is faulty: ";
  const size_t at = text.find(head);
  return text.starts_with("mithril.ValueError[E0475]: ") && at != std::string::npos
             ? text.substr(at + head.size())
             : text;
}

Graph graph_of(const OpDef& op) {
  Graph graph = parse_graph("graph { input x: float32[2, 3] }");
  graph.add_output("y", graph.add(op, {graph.inputs()[0]}, "y").front());
  return graph;
}

void when_inferred(OpDef op) {
  compile_patterns(op);
  graph_of(op);
}

void when_evaluated(OpDef op) {
  compile_patterns(op);
  Interpreter(graph_of(op)).run(std::vector{Tensor(DType::float32, {2, 3})});
}

void when_differentiated(OpDef op) {
  compile_patterns(op);
  op.not_differentiable.clear();
  differentiate(graph_of(op), {.outputs = {"y"}, .wanted = {"x"}});
}

void when_expanded(OpDef op) {
  compile_patterns(op);
  op.eval = nullptr;
  expand_ops(graph_of(op));
}

}  // namespace

TEST_CASE("a record whose ports make no sense is refused") {
  CHECK(fault([](OpDef& op) { op.name = ""; }) ==
        "mithril.ValueError[E0475]: the record of op '' is faulty: it has no name");
  CHECK(fault([](OpDef& op) { op.inputs.push_back(op.inputs[0]); }) ==
        "it has two ports named 'input'");
  CHECK(fault([](OpDef& op) { op.inputs[0].name = "like"; }) ==
        "it has an input named 'like', a name for inputs of Mithril's own ops that are read for "
        "their shapes only; give the input another name");
  CHECK(text_of_error([] {
          OpDef op = sound();
          op.outputs.clear();
          add_op(std::move(op));
        }) ==
        "mithril.ValueError[E0475]: the record of op 'of_a_test' is faulty: it has no output");
  CHECK(fault([](OpDef& op) { op.inputs[0].type = "flaot"; }) ==
        "no kind is called 'flaot' in 'flaot'");
  CHECK(fault([](OpDef& op) { op.inputs[0].type = ""; }) == "a port has no type");
  CHECK(fault([](OpDef& op) { op.inputs[0].type = "promote(T)"; }) ==
        "promote takes two types: 'promote(T)'");
  CHECK(fault([](OpDef& op) { op.inputs[0].shape = "*a *b"; }) ==
        "two runs in the pattern '*a *b'");
  CHECK(fault([](OpDef& op) { op.inputs[0].shape = "2x"; }) == "'2x' is not a dim of a pattern");
  CHECK(fault([](OpDef& op) { op.inputs[0].shape = "99999999999999999999"; }) ==
        "'99999999999999999999' is not a dim of a pattern");
  CHECK(fault([](OpDef& op) { op.shape_constraints = {"*o broadcast *a"}; }) ==
        "cannot read the rule '*o broadcast *a'");
  CHECK(fault([](OpDef& op) {
          for (int i = 0; i < 33; ++i) op.inputs[0].shape += " D" + std::to_string(i);
        }) == "its patterns name more than 32 dims");
}

TEST_CASE("a record without a meaning is refused") {
  CHECK(fault([](OpDef& op) { op.doc = ""; }) == "it has no doc line");
  CHECK(fault([](OpDef& op) { op.eval = nullptr; }) == "it needs either eval or expand");
  CHECK(fault([](OpDef& op) { op.not_differentiable = ""; }) ==
        "it needs either grad or not_differentiable");
  CHECK(fault([](OpDef& op) {
          op.outputs[0] = {"output", "", "value int"};
        }) == "it makes only values and has no solve to fold them");
}

TEST_CASE("a record whose functions read a port that it lacks is refused") {
  CHECK(fault([](OpDef& op) { op.solve = [](Solver& s) { return s.set("M", 1), true; }; },
              when_inferred) == "its patterns have no dim 'M'");
  CHECK(fault([](OpDef& op) { op.solve = [](Solver& s) { return s.value("axis") != nullptr; }; },
              when_inferred) == "it asks for a port 'axis'");
  CHECK(fault([](OpDef& op) { op.eval = [](EvalContext& c) { c.in("inptu"); }; }, when_evaluated) ==
        "its eval asks for an input 'inptu'");
  CHECK(fault([](OpDef& op) { op.eval = [](EvalContext& c) { c.write<float>(1); }; },
              when_evaluated) == "its eval asks for output 1 of 1");
  CHECK(fault([](OpDef& op) { op.outputs[0].shape = "M *s"; }, when_evaluated) ==
        "its patterns and solve do not say the dims of output 0 where all inputs are known");
  CHECK(fault([](OpDef& op) { op.grad = [](GradContext& g) { g.flow("inptu", g.out_grad()); }; },
              when_differentiated) == "there is no input 'inptu'");
  CHECK(fault([](OpDef& op) { op.grad = [](GradContext& g) { g.value("input"); }; },
              when_differentiated) == "it takes port 'input' for a value");
  CHECK(fault(
            [](OpDef& op) {
              op.grad = [](GradContext& g) {
                g.flow("input", call("sum", {g.out_grad(), Datum(), false}));
              };
            },
            when_differentiated) == "the gradient that it gives for x has another rank");
  CHECK(fault([](OpDef& op) { op.expand = [](ExpandContext&) {}; }, when_expanded) ==
        "its expand does not say what each output becomes");
}

TEST_CASE("reading a value as another kind is an error") {
  CHECK(text_of_error([] { static_cast<void>(Datum("same").integer()); }) ==
        "mithril.ValueError[E0477]: \"same\" was read as an int");
  CHECK(text_of_error([] { static_cast<void>(Datum(2).text()); }) ==
        "mithril.ValueError[E0477]: 2 was read as a str");
}

}  // namespace mithril
