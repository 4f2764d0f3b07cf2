// check_op finds faults in the record of a user's op, and names their place.
#include "mithril/check/check_op.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// input / (1 + |input|)
OpDef softsign() {
  return {
      .name = "softsign",
      .doc = "input / (1 + |input|), element by element.",
      .inputs = {{"input", "*s", "float"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return x / (1 + std::abs(x)); }); },
      .grad =
          [](GradContext& g) {
            const Expression root = call("abs", {g.in("input")}) + 1.0;
            g.flow("input", g.out_grad() / (root * root));
          },
      .spell = {{"torch", "aten::softsign(input)"}, {"c", "{input} / (1 + abs({input}))"}}};
}

std::vector<check::OpCase> rows() {
  using namespace check;
  return {{.name = "default", .inputs = {{"input", normal({3, 4}).away_from({0})}}},
          {.name = "by hand",
           .inputs = {{"input", tensor({2}, {1, -3})}},
           .expect = {{"output", tensor({2}, {0.5, -0.75})}}},
          {.name = "ints", .inputs = {{"input", integers({3}, 0, 5)}}, .error = "E0301"}};
}

struct Refusal {
  std::string code, text;

  bool says(std::string_view part) const { return text.find(part) != std::string::npos; }
};

Refusal refusal_of(const OpDef& op, const std::vector<check::OpCase>& given = rows()) {
  try {
    check_op(op, given);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

}  // namespace

TEST_CASE("check_op accepts a correct record, registered or not") {
  CHECK(refusal_of(softsign()).text.empty());
  CHECK(refusal_of(find_op("gelu"),
                   {{.name = "tanh form",
                     .inputs = {{"input", check::normal({3, 4})}, {"approximate", true}}}})
            .text.empty());
}

TEST_CASE("check_op finds a formula that differs from eval") {
  OpDef op = softsign();
  op.spell[1].text = "{input} / (1 + {input})";
  const Refusal refusal = refusal_of(op);
  CHECK(refusal.code == "E0440");
  CHECK(
      refusal.says("mithril.ValueError[E0440]: check_op: the op 'softsign' fails 5 of 112 checks"));
  CHECK(
      refusal.says("softsign, by hand: the C formula against eval, seed 1: element [1] is 1.5, "
                   "expected -0.75: off by "));
}

TEST_CASE("check_op finds a gradient that never flows, and one that is wrong") {
  OpDef op = softsign();
  op.grad = [](GradContext&) {};
  CHECK(refusal_of(op).says("softsign, default: gradient of input, seed 1: the slope along "));
  op.grad = [](GradContext& g) { g.flow("input", g.out_grad() * 2.0); };
  CHECK(refusal_of(op).says("the gradient says "));
}

TEST_CASE("check_op finds errors of eval for one element and for no elements") {
  OpDef op = softsign();
  op.outputs = {{"output", "", "float"}};
  op.solve = [](Solver& s) {
    std::vector<Dim> dims;
    if (!s.shape("input", dims)) return false;
    s.set_shape("output", {});
    return true;
  };
  op.eval = [](EvalContext& c) {  // a sum that forgets the last of several elements
    c.typed([&](auto zero) {
      using T = decltype(zero);
      const auto x = c.read<T>("input");
      T sum = T();
      for (int64_t i = 0; i < x.size(); ++i) sum = static_cast<T>(sum + x[i]);
      c.write<T>()[0] = x.size() == 1 ? T(7) : sum;
    });
  };
  op.grad = [](GradContext& g) {
    g.flow("input", call("expand_like", {g.out_grad(), g.in("input")}));
  };
  op.spell.clear();
  using namespace check;
  const Refusal refusal =
      refusal_of(op, {{.name = "of four", .inputs = {{"input", normal({2, 2})}}}});
  CHECK(refusal.says("softsign, of four, in sizes [1, 1]: gradient of input"));
}

TEST_CASE("check_op finds a result, and an error, that differs from the row") {
  std::vector<check::OpCase> wrong = rows();
  wrong[1].expect = {{"output", check::tensor({2}, {0.5, -0.7})}};
  CHECK(refusal_of(softsign(), wrong).says("by hand: expected output: element [1] is -0.75"));
  wrong = rows();
  wrong[2].error = "E0202";
  CHECK(refusal_of(softsign(), wrong).says("ints: error E0202: the code is E0301"));
  wrong[2].inputs = {{"inptu", check::normal({2})}};
  CHECK(refusal_of(softsign(), wrong).says("the op has no input 'inptu'"));
}

TEST_CASE("check_op refuses a row that it cannot read") {
  OpDef op = softsign();
  op.spell[1].text = "{input} / (1 + abs({input})";
  const Refusal refusal = refusal_of(op);
  CHECK(refusal.code == "E0441");
  CHECK(
      refusal.says("mithril.ValueError[E0441]: check_op: the record of 'softsign' cannot be read"));
  CHECK(
      refusal.says("\n  problem : the formula of an op, column 28: expected ')'\n"
                   "  formula : {input} / (1 + abs({input})\n"));
  op = softsign();
  op.spell[1].text = "softsign({input})";
  CHECK(refusal_of(op).says("the formula has the function softsign, which generated C++ does not"));
  CHECK(refusal_of(softsign(), {}).text ==
        "mithril.ValueError[E0442]: check_op: there are no rows to check 'softsign' with\n"
        "  help: give at least one row: inputs for the ports, and what is expected");
}

}  // namespace mithril
