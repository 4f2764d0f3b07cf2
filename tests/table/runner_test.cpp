// The runner of the op table finds wrong records, and names the place.
#include "tests/table/runner.hpp"
#include "tests/table/sample_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "mithril/op/patterns.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril::tests {
namespace {

OpDef finished(OpDef op) {
  compile_patterns(op);
  op.model_name = "Example";
  return op;
}

// output = scale * input
OpDef scaling() {
  return {.name = "scaling",
          .doc = "The input times a number.",
          .inputs = {{"input", "*s", "float"}, value("scale", "float", Datum(2.0))},
          .outputs = {{"output", "*s", "float"}},
          .eval =
              [](EvalContext& c) {
                map1_float(c, [scale = c.real("scale")](auto x) { return x * scale; });
              },
          .grad = [](GradContext& g) { g.flow("input", g.out_grad() * g.operand("scale")); },
          .spell = {{"jax", "{scale} * {input}"},
                    {"torch", "aten::mul(input, scale)"},
                    {"c", "{scale} * {input}"}}};
}

std::vector<OpCase> scaling_rows() {
  return {
      {.name = "default", .inputs = {{"input", normal({3, 4})}}},
      {.name = "by one half", .inputs = {{"input", normal({2, 1})}, {"scale", 0.5}}},
      {.name = "empty", .inputs = {{"input", normal({0, 3})}}},
      {.name = "by hand",
       .inputs = {{"input", tensor({2}, {1, -3})}},
       .expect = {{"output", tensor({2}, {2, -6})}}},
      {.name = "ints are refused", .inputs = {{"input", integers({3}, 0, 5)}}, .error = "E0301"}};
}

// output = each row twice, [2 * N]
OpDef doubling() {
  return {.name = "doubling",
          .doc = "The input twice, one after the other.",
          .inputs = {{"input", "N", "any"}},
          .outputs = {{"output", "M", "any"}},
          .solve =
              [](Solver& s) {
                s.set("M", s.dim("N") * Dim(2));
                return true;
              },
          .eval =
              [](EvalContext& c) {
                c.typed([&](auto zero) {
                  using T = decltype(zero);
                  const auto x = c.read<T>("input");
                  auto y = c.write<T>();
                  for (int64_t i = 0; i < c.out().size(); ++i) y[i] = x[i % x.size()];
                });
              },
          .not_differentiable = "nobody wrote its gradient",
          .spell = {{"jax", "unsupported: example"}, {"torch", "unsupported: example"}}};
}

Report run(OpDef op, const std::vector<OpCase>& rows) {
  Report report(true);
  const OpDef ready = finished(std::move(op));
  run_op(ready, rows, rows, report);
  return report;
}

bool says(const Report& report, std::string_view text) {
  return std::any_of(report.failures().begin(), report.failures().end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a right record passes every case of its rows") {
  const Report report = run(scaling(), scaling_rows());
  CHECK(report.failures() == std::vector<std::string>());
  CHECK(report.passed(Check::gradient) >= 20);
  CHECK(report.passed(Check::second_gradient) > 0);
  CHECK(report.passed(Check::symbols) > 0);
  CHECK(report.passed(Check::unknown_rank) > 0);
  CHECK(report.passed(Check::precision) > 0);
  CHECK(report.passed(Check::expectation) == 1);
  CHECK(report.passed(Check::refusal) == 1);
}

TEST_CASE("a wrong gradient fails in every row and seed, with the slope that it should have had") {
  OpDef op = scaling();
  op.grad = [](GradContext& g) { g.flow("input", g.out_grad() * 3.0); };
  const Report report = run(op, scaling_rows());
  CHECK(report.passed(Check::gradient) == 0);
  CHECK(says(report, "scaling, default: gradient of input, seed 4: the slope along "));
}

TEST_CASE("a gradient of the wrong dims fails") {
  OpDef op = scaling();
  op.grad = [](GradContext& g) {
    g.flow("input", call("add", {g.out_grad(), call("ones", {Datum::ints({2, 1, 1})})}));
  };
  CHECK(run(op, scaling_rows()).failed() > 0);
}

TEST_CASE("a size that is right for numbers and wrong for symbols fails") {
  OpDef op = doubling();
  op.solve = [](Solver& s) {
    const Dim n = resolve(s.dim("N"));
    s.set("M", n.is_constant() ? n * Dim(2) : n + Dim(2));
    return true;
  };
  const Report report = run(op, {{.name = "three", .inputs = {{"input", normal({3})}}}});
  CHECK(report.failed(Check::evaluation) == 0);
  CHECK(report.failed(Check::symbols) > 0);
}

TEST_CASE("a wrong inferred size fails against a size worked out by hand") {
  OpDef op = doubling();
  op.solve = [](Solver& s) {
    s.set("M", s.dim("N") * Dim(3));
    return true;
  };
  const Report report = run(op, {{.name = "one",
                                  .inputs = {{"input", tensor({1}, {5})}},
                                  .expect = {{"output", tensor({2}, {5, 5})}}}});
  CHECK(says(report, "doubling, one: expected output: dims are [3], expected [2]"));
}

TEST_CASE("a wrong element fails with its place and its distance") {
  std::vector<OpCase> rows = scaling_rows();
  rows[3].expect = {{"output", tensor({2}, {2, -5})}};
  CHECK(says(run(scaling(), rows),
             "by hand: expected output: element [1] is -6, expected -5: off by 0.2"));
}

TEST_CASE("a declared lack of a gradient is refused, and a forgotten one is missed") {
  const std::vector<OpCase> rows = {{.name = "three", .inputs = {{"input", normal({3})}}}};
  CHECK(run(doubling(), rows).passed(Check::refusal) > 0);
  CHECK(run(doubling(), rows).failed(Check::refusal) == 0);
  OpDef op = doubling();
  op.not_differentiable.clear();
  CHECK(says(run(op, rows), "doubling: every op has a gradient or a reason for none"));
}

TEST_CASE("an error that does not come, or comes with another code, fails") {
  std::vector<OpCase> rows = scaling_rows();
  rows[4].error = "E0299";
  CHECK(says(run(scaling(), rows), "ints are refused: error E0299: the code is E0301"));
  rows[4].inputs = {{"input", normal({3})}};
  CHECK(says(run(scaling(), rows), "ints are refused: error E0299: nothing was refused"));
}

TEST_CASE("an incomplete record or table of rows fails the check of completeness") {
  OpDef op = scaling();
  op.doc.clear();
  op.spell.pop_back();
  std::vector<OpCase> rows = scaling_rows();
  rows.erase(rows.begin() + 1);
  const Report report = run(op, rows);
  CHECK(says(report, "every op has a doc line"));
  CHECK(says(report,
             "every op has a C formula, a kernel in codegen/cpp/kernels, a view's elements, or"));
  CHECK(says(report, "every op has a row with 'scale' off its default"));
  CHECK(says(report, "every op has a row with a size of 1"));
  CHECK(says(run(scaling(), {}), "every op has rows"));
}

TEST_CASE("a row that names a port which the op lacks fails") {
  const Report report = run(scaling(), {{.name = "typo", .inputs = {{"inputs", normal({3})}}}});
  CHECK(says(report, "the op has no input 'inputs'"));
}

TEST_CASE("a sample of rows has each refusal and each dtype") {
  std::vector<OpCase> rows;
  for (const char* name : {"a", "b", "c", "d"})
    rows.push_back({.name = name, .inputs = {{"input", normal({2})}}});
  rows[1].inputs = {{"input", integers({2}, 0, 3)}};
  rows[3].error = "E0301";
  const auto names_of = [&](std::size_t most) {
    std::string names;
    for (const OpCase& row : sample_rows(rows, most)) names += row.name;
    return names;
  };
  CHECK(names_of(1) == "abd");
  CHECK(names_of(2) == "abcd");
  CHECK(names_of(4) == "abcd");
}

}  // namespace mithril::tests
