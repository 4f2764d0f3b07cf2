// monomials: which variables the products of a polynomial are made of.
#include <algorithm>
#include <vector>

#include "mithril/ops/support/monomials.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_monomials(Solver& s) {
  const Datum *variables = s.value("variables"), *degree = s.value("degree");
  int64_t highest = 0;
  if (!variables || !degree || !s.number(degree->dim(), highest)) return false;
  check_degree(s, highest);
  s.set("degrees", Dim(highest));
  s.set("count", monomial_count(variables->dim(), highest));
  return true;
}

// The next of the combinations with repetition, in lexicographic order.
void advance(std::vector<int64_t>& combination, int64_t largest) {
  auto last = combination.rbegin();
  while (*last == largest) ++last;
  std::fill(combination.rbegin(), last + 1, *last + 1);
}

void eval_monomials(EvalContext& c) {
  const int64_t count = c.out().dims()[0], degree = c.out().dims()[1];
  std::vector<int64_t> combination(static_cast<size_t>(degree));
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < count; ++i) {
      advance(combination, c.integer("variables"));
      for (const int64_t variable : combination) *y++ = static_cast<T>(variable);
    }
  });
}

std::string spell_monomials(const SpellingContext& c) {
  const std::string factors =
      spell_call("aten::arange", {spell_number(c.integer("variables") + 1)});
  const std::string all = spell_call("aten::combinations", {factors, "degree", "True"});
  return spell_call("aten::slice", {all, "0", "1"});
}

}  // namespace

OpDef define_monomials() {
  return {
      .name = "monomials",
      .doc =
          "All products of 1 to `degree` variables. Each row lists the factors of one product in "
          "ascending order. Variables count from 1, and 0 stands for the factor 1.",
      .internal = true,
      .inputs = {value("variables", "int"), value("degree", "int")},
      .outputs = {{"output", "count degrees", "int"}},
      .solve = solve_monomials,
      .eval = eval_monomials,
      .not_differentiable = "it has no tensor among its inputs",
      .spell = {{"jax", "monomials({variables}, {degree}, {output.dtype})"},
                {"torch", "aten::combinations without the first", spell_monomials}},
  };
}

}  // namespace mithril
