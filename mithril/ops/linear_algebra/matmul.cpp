// The matrix product.
#include <algorithm>
#include <vector>

#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_matmul(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto a = c.read<T>("left"), b = c.read<T>("right");
    auto y = c.write<T>();
    const Dims &left = c.dims("left"), &right = c.dims("right"), &out = c.out().dims();
    const int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
    auto batch = [](const Dims& dims) { return Dims(dims.begin(), dims.end() - 2); };
    const Dims left_batch = batch(left), right_batch = batch(right);
    std::vector<Total> row(static_cast<size_t>(n));
    each_broadcast<2>(batch(out), {&left_batch, &right_batch}, [&](int64_t matrix, auto& at) {
      for (int64_t i = 0; i < m; ++i) {
        std::fill(row.begin(), row.end(), Total{});
        for (int64_t p = 0; p < k; ++p) {
          const auto factor = static_cast<Total>(a[(at[0] * m + i) * k + p]);
          const T* with = b.begin() + (at[1] * k + p) * n;
          for (int64_t j = 0; j < n; ++j)
            row[static_cast<size_t>(j)] += factor * static_cast<Total>(with[j]);
        }
        for (int64_t j = 0; j < n; ++j)
          y[(matrix * m + i) * n + j] = static_cast<T>(row[static_cast<size_t>(j)]);
      }
    });
  });
}

// One matrix with all rows of a batch of matrices.
Expression as_one_matrix(const Expression& x) { return call("flatten", {x, 0, -2}); }

// Whether the right operand is one weight for a batch of matrices.
bool is_shared(const Expression& left, const Expression& right) {
  return left.ranked() && right.ranked() && right.dims().size() == 2 && left.dims().size() > 2;
}

void differentiate_matmul(GradContext& g) {
  const Expression left = g.in("left"), right = g.in("right");
  if (g.needs("left")) {
    flow_summed(g, "left", call("matmul", {g.out_grad(), transposed(right)}));
  }
  if (!g.needs("right")) return;
  // One product, in place of one for each matrix and their sum.
  const bool at_once = is_shared(left, right);
  const Expression rows = at_once ? as_one_matrix(left) : left;
  const Expression grad = at_once ? as_one_matrix(g.out_grad()) : g.out_grad();
  flow_summed(g, "right", call("matmul", {transposed(rows), grad}));
}

}  // namespace

OpDef define_matmul() {
  return {
      .name = "matmul",
      .doc = "The matrix product over the last two axes. The axes before them broadcast.",
      .inputs = {{"left", "*a M K", "T=number"}, {"right", "*b K N", "U=number"}},
      .outputs = {{"output", "*o M N", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .eval = eval_matmul,
      .grad = differentiate_matmul,
      .separable = {"*a", "*b", "M", "K", "N"},
      .linear = {"left", "right"},
      .cast = CastPolicy::lower,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "jnp.matmul({left}, {right})"},
                {"onnx", "MatMul(left, right)"},
                {"torch", "aten::matmul(left, right)"},
                {"cpu", "gemm(left, right)"}},
  };
}

}  // namespace mithril
