#include "backends/cpu/rewrite/multiply_add_op.hpp"

#include <cmath>
#include <type_traits>

#include "mithril/op/patterns.hpp"
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"

namespace mithril::cpu_backend {
namespace {

OpDef make_multiply_add() {
  OpDef op{
      .name = "multiply_add",
      .doc = "left * right + addend, rounded once.",
      .inputs = {{"left", "*a", "operand"},
                 {"right", "*b", "operand"},
                 {"addend", "*c", "operand"}},
      .outputs = {{"output", "*o", "float"}},
      .shape_constraints = {"*ab = broadcast(*a, *b)", "*o = broadcast(*ab, *c)"},
      .solve =
          [](Solver& s) {
            return operand_forms<3>(s, {"left", "right", "addend"}).decided;
          },
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              if constexpr (std::is_floating_point_v<T>) {
                const auto left = c.read<T>("left"), right = c.read<T>("right"),
                           addend = c.read<T>("addend");
                auto y = c.write<T>();
                each_broadcast<3>(c.out().dims(),
                                  {&c.dims("left"), &c.dims("right"), &c.dims("addend")},
                                  [&](int64_t i, auto& at) {
                                    y[i] = std::fma(left[at[0]], right[at[1]], addend[at[2]]);
                                  });
              }
            });
          },
      .spell = {{"c", "fma({left}, {right}, {addend})"}},
  };
  compile_patterns(op);
  return op;
}

}  // namespace

const OpDef& multiply_add() {
  static const OpDef op = make_multiply_add();
  return op;
}

}  // namespace mithril::cpu_backend
