// Limiting to an interval.
#include <algorithm>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_clamp(Solver& s) {
  bool by_floats = false;
  for (const char* port : {"min_val", "max_val"}) {
    const Datum* limit = s.value(port);
    if (!limit) return false;
    by_floats = by_floats || limit->kind() == kind::float_value;
  }
  if (by_floats) {
    s.narrow("output", kind::float_tensor);
  } else {
    s.same_type("input", "output");
  }
  return true;
}

std::string spell_clamp(const SpellingContext&) {
  const std::string input = spell_as_output("input");
  return "min_val == None ? max_val == None ? input : " +
         spell_call("aten::clamp", {input, "max=max_val"}) + " : " +
         spell_call("aten::clamp", {input, "min_val", "max_val"});
}

// NaN compares false, and stays.
std::string formula_of_clamp() {
  const std::string raised =
      "({min_val} == None ? {input} : {input} < {min_val} ? {min_val} : {input})";
  return "{max_val} == None ? " + raised + " : {max_val} < " + raised + " ? {max_val} : " + raised;
}

}  // namespace

OpDef define_clamp() {
  return {
      .name = "clamp",
      .doc =
          "min(max(input, min_val), max_val), elementwise. None means no limit. The slope at a "
          "limit is 1, and 0 at NaN. Ints with a float limit become floats.",
      .inputs = {{"input", "*s", "number"},
                 value("min_val", "float|int|none", None()),
                 value("max_val", "float|int|none", None())},
      .outputs = {{"output", "*s", "number"}},
      .solve = solve_clamp,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input");
              const bool has_low = c.has("min_val"), has_high = c.has("max_val");
              const T low = has_low ? c.read<T>("min_val")[0] : T();
              const T high = has_high ? c.read<T>("max_val")[0] : T();
              auto y = c.write<T>();
              for (int64_t i = 0; i < x.size(); ++i) {
                y[i] = x[i];
                if (has_low) y[i] = std::max(y[i], low);
                if (has_high) y[i] = std::min(y[i], high);
              }
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input");
            Expression dy = g.out_grad();
            auto cut = [&](const char* port, const char* within) {
              if (g.value(port).is_none()) return;
              dy = call("where", {call(within, {x, g.operand(port)}), dy, 0.0});
            };
            cut("min_val", "greater_equal");
            cut("max_val", "less_equal");
            g.flow("input", dy);
          },
      .spell = {{"jax", "clamp({input}, {min_val}, {max_val})"},
                {"onnx", "Clip(input, min_val, max_val)"},
                {"torch", "aten::clamp of the input in the dtype of the output", spell_clamp},
                {"c", formula_of_clamp()}},
  };
}

}  // namespace mithril
