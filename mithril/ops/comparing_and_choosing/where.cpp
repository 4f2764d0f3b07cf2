// Choosing between two, element by element.
#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_where() {
  return {
      .name = "where",
      .doc =
          "input1 where cond is true, otherwise input2, elementwise. At least one of input1 and "
          "input2 is a tensor.",
      .inputs = {{"cond", "*c", "bool"},
                 {"input1", "*a", "T=operand"},
                 {"input2", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*ab = broadcast(*a, *b)", "*o = broadcast(*c, *ab)"},
      .solve =
          [](Solver& s) {
            s.narrow("output", kind::tensor);
            return operand_forms<2>(s, {"input1", "input2"}).decided;
          },
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto cond = c.read<bool>("cond");
              const auto a = c.read<T>("input1"), b = c.read<T>("input2");
              auto y = c.write<T>();
              each_broadcast<3>(
                  c.out().dims(), {&c.dims("cond"), &c.dims("input1"), &c.dims("input2")},
                  [&](int64_t i, auto& at) { y[i] = cond[at[0]] ? a[at[1]] : b[at[2]]; });
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression cond = g.in("cond"), dy = g.out_grad();
            if (g.needs("input1")) flow_summed(g, "input1", call("where", {cond, dy, 0.0}));
            if (g.needs("input2")) flow_summed(g, "input2", call("where", {cond, 0.0, dy}));
          },
      .canonical = {"input1"},
      .linear = {"input1 input2"},
      .integers = IntegerUse::bits,
      .spell = {{"jax", "jnp.where({cond}, {input1}, {input2})"},
                {"onnx", "Where(cond, input1, input2)"},
                {"torch", "aten::where(cond, input1, input2)"},
                {"c", "{cond} ? {input1} : {input2}"}},
  };
}

}  // namespace mithril
