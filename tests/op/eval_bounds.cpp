// An eval that leaves the bounds of its tensors raises an error that names the op and the port.
#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/check/check_op.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/solver.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

// The input without its last element.
OpDef shortening() {
  OpDef op{.name = "shortening",
           .doc = "The input without its last element.",
           .inputs = {{"input", "N", "any"}},
           .outputs = {{"output", "M", "any"}},
           .solve =
               [](Solver& s) {
                 s.set("M", s.dim("N") - Dim(1));
                 return true;
               },
           .eval =
               [](EvalContext& c) {
                 c.typed([&](auto zero) {
                   using T = decltype(zero);
                   const auto x = c.read<T>("input");
                   std::copy_n(x.begin(), x.size() - 1, c.write<T>());
                 });
               },
           .not_differentiable = "a test"};
  compile_patterns(op);
  return op;
}

Graph graph_of(const OpDef& op) {
  Graph graph = parse_graph("graph { input x: float32[3] }");
  const std::vector<ValueId> made = graph.add(op, {graph.inputs()[0]}, "y");
  for (size_t i = 0; i < made.size(); ++i) graph.add_output("y" + std::to_string(i), made[i]);
  return graph;
}

std::vector<Tensor> inputs() { return {Tensor::of<float>({3}, {1, 2, 3})}; }

std::string text_of_run(const OpDef& op) {
  return text_of_error([&] { interpret(graph_of(op), inputs()); });
}

std::string text_on_cpu(const OpDef& op) {
  return text_of_error([&] { cpu()->load(graph_of(op), {})->run(inputs()); });
}

constexpr const char* written =
    "mithril.ValueError[E0478]: y: shortening: eval writes element 2 of port 'output', which has 2 "
    "elements\n"
    "  dims : [2]\n"
    "  help: the dims of an output are those that the record infers, by its patterns and solve";

void copy_all(EvalContext& c) {
  c.typed([&](auto zero) {
    const auto x = c.read<decltype(zero)>("input");
    std::copy(x.begin(), x.end(), c.write<decltype(zero)>());
  });
}

}  // namespace

TEST_CASE("an eval that stays in its bounds runs") {
  CHECK(interpret(graph_of(shortening()), inputs())[0].values<float>()[1] == 2);
}

TEST_CASE("an eval that writes more than the inferred shape is an error at each kind of access") {
  OpDef op = shortening();
  op.eval = copy_all;
  CHECK(text_of_run(op) == written);
  CHECK(text_on_cpu(op) == written);
  op.eval = [](EvalContext& c) { c.write<float>()[2] = 1; };
  CHECK(text_of_run(op) == written);
  op.eval = [](EvalContext& c) {
    auto y = c.write<float>();
    for (int i = 0; i < 3; ++i) *y++ = 1;
  };
  CHECK(text_of_run(op) == written);
  op.eval = [](EvalContext& c) { std::fill_n(c.write<float>() + 1, 2, 1.0F); };
  CHECK(text_of_run(op) == written);
  op.eval = [](EvalContext& c) { c.write<float>()[-1] = 1; };
  CHECK(text_of_run(op).find("writes element -1 of port 'output'") != std::string::npos);
}

TEST_CASE("an eval that reads beyond an input is an error") {
  OpDef op = shortening();
  op.eval = [](EvalContext& c) {
    const auto x = c.read<float>("input");
    for (int64_t i = 0; i < c.out().size(); ++i) c.write<float>()[i] = x[i + 2];
  };
  CHECK(text_of_run(op) ==
        "mithril.ValueError[E0479]: y: shortening: eval reads element 3 of port 'input', which has "
        "3 elements\n"
        "  dims : [3]\n"
        "  help: an index that follows from the dims of an output is wrong where solve is");
}

TEST_CASE("a write beyond one of several outputs names its port") {
  OpDef op = shortening();
  op.outputs.push_back({"last", "1", "any"});
  compile_patterns(op);
  op.eval = [](EvalContext& c) { c.write<float>(1)[1] = 1; };
  CHECK(text_of_run(op).find("writes element 1 of port 'last', which has 1 elements") !=
        std::string::npos);
}

TEST_CASE("check_op reports a shape rule that eval contradicts, and no other check of the row") {
  OpDef op = shortening();
  op.eval = copy_all;
  CHECK(text_of_error([&] {
          check_op(op, {{.name = "three", .inputs = {{"input", check::normal({3})}}}});
        })
            .find("check_op: the op 'shortening' fails 1 of 1 checks\n"
                  "  1 : shortening, three: evaluation, seed 1: mithril.ValueError[E0478]: ") !=
        std::string::npos);
}

TEST_CASE("an output says how many elements it has") {
  OpDef op = shortening();
  op.eval = [](EvalContext& c) {
    auto y = c.write<float>();
    for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i);
  };
  CHECK(identical(interpret(graph_of(op), inputs()).front(), Tensor::of<float>({2}, {0, 1})));
}

}  // namespace mithril::tests
