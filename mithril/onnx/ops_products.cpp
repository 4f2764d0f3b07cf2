// Products of matrices.
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// Vectors become matrices of one row or one column.
Connection product(const Connection& a, const Connection& b, std::size_t rank_a,
                   std::size_t rank_b) {
  const Connection left = rank_a == 1 ? expanded(a, {0}) : a;
  const Connection right = rank_b == 1 ? expanded(b, {1}) : b;
  Connection made = apply("matmul", {left, right});
  if (rank_b == 1) made = apply("squeeze", {made, -1});
  if (rank_a == 1) made = apply("squeeze", {made, rank_b == 1 ? -1 : -2});
  return made;
}

Outputs mat_mul(const NodeContext& node) {
  return {product(node[0], node[1], node.rank(0), node.rank(1))};
}

Outputs gemm(const NodeContext& node) {
  node.need_rank(0, 2, 2);
  node.need_rank(1, 2, 2);
  const double alpha = node.real("alpha", 1.0), beta = node.real("beta", 1.0);
  const bool transposes_b = node.flag("transB");
  const Connection a = node.flag("transA") ? node[0].T() : node[0];
  const bool is_int_type = is_int(node.type());
  if (is_int_type && (alpha != 1.0 || beta != 1.0)) refuse("it scales ints");
  const bool is_linear = transposes_b && alpha == 1.0 && beta == 1.0 && !is_int_type;
  if (is_linear && (!node.has(2) || node.rank(2) == 1)) {
    const auto bias_dims = node.has(2) ? node.dims(2) : std::nullopt;
    const auto weight_dims = node.dims(1);
    if (!node.has(2)) return {apply("linear", {a, node[1], none})};
    if (bias_dims && weight_dims && (*bias_dims)[0] == (*weight_dims)[0])
      return {apply("linear", {a, node[1], node[2]})};
  }
  Connection made = apply("matmul", {a, transposes_b ? node[1].T() : node[1]});
  if (alpha != 1.0) made = made * alpha;
  if (!node.has(2) || beta == 0.0) return {made};
  return {made + (beta == 1.0 ? node[2] : node[2] * beta)};
}

Outputs einsum(const NodeContext& node) {
  const std::string equation = node.text("equation");
  // Each input, and the result, has a letter for each axis, commas and spaces.
  const auto longest = static_cast<std::int64_t>(4 * most_axes * (node.count() + 1));
  within("the length of its equation", static_cast<std::int64_t>(equation.size()), 0, longest);
  std::vector<Binding> inputs;
  for (std::size_t i = 0; i < node.count(); ++i) inputs.emplace_back(node[i]);
  return {apply("einsum", {Binding(inputs), Datum(equation)})};
}

Outputs det(const NodeContext& node) { return {apply("det", {node[0]})}; }

}  // namespace

std::vector<OpRow> product_rows() {
  return {
      of_floats({"Det", 11, det, "Det"}),
      {"Einsum", 12, einsum, "Einsum"},
      {"Gemm", 1, gemm, "PrimitiveLinear, MatrixMultiply, Add"},
      {"MatMul", 1, mat_mul, "MatrixMultiply"},
  };
}

}  // namespace mithril::onnx
