// Products of matrices, attention, and Fourier transforms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {
namespace {

Operand last_axes_swapped(GraphBuilder& b, const Operand& x) {
  std::vector<std::int64_t> order;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) order.push_back(axis);
  std::swap(order[order.size() - 2], order.back());
  return b.call("Transpose", {x}, {{"perm", order}});
}

// linear(x, weight, bias): one op for matrices.
Item linear_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), weight = a.tensor(1), bias = a.tensor(2);
  if (x.rank() == 2) return {b.call("Gemm", {x, weight, bias}, {{"transB", std::int64_t{1}}})};
  const Operand made = b.call("MatMul", {x, last_axes_swapped(b, weight)});
  return {bias.is_missing() ? made : b.call("Add", {made, bias})};
}

// Whether row i may read column j: j is not after i.
Operand causal_mask(GraphBuilder& b, const Dim& rows, const Dim& columns) {
  const auto count = [&](const Dim& dim) {
    return b.call("Range", {b.number(0.0, DType::int64), b.number(dim, DType::int64),
                            b.number(1.0, DType::int64)});
  };
  const Operand row = b.call("Unsqueeze", {count(rows), b.integers({1})});
  return b.call("LessOrEqual", {count(columns), row}, {}, DType::boolean);
}

// attention_weights(query, key, mask, causal, scale): zeros where a query may attend to nothing.
Item attention_weights_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand query = a.tensor(0), key = a.tensor(1), mask = a.tensor(2);
  const DType dtype = query.dtype;
  const Dim width = resolve(query.known_dims().back());
  Operand scores = b.call("MatMul", {query, last_axes_swapped(b, key)});
  if (!a.is_none(4)) {
    scores = b.call("Mul", {scores, a.tensor(4)});
  } else if (width.is_constant()) {
    const auto size = static_cast<double>(std::max<std::int64_t>(1, width.constant()));
    scores = b.call("Mul", {scores, b.number(1 / std::sqrt(size), dtype)});
  } else {
    const Operand size = b.call("Max", {b.number(width, dtype), b.number(1.0, dtype)});
    scores = b.call("Div", {scores, b.call("Sqrt", {size})});
  }
  const Operand hidden = b.number(-std::numeric_limits<double>::infinity(), dtype);
  if (!mask.is_missing() && mask.dtype == DType::boolean)
    scores = b.call("Where", {mask, scores, hidden}, {}, dtype);
  if (!mask.is_missing() && mask.dtype != DType::boolean)
    scores = b.call("Add", {scores, b.cast(mask, dtype)});
  if (a.flag(3)) {
    const Operand visible = causal_mask(b, query.known_dims()[query.known_dims().size() - 2],
                                        key.known_dims()[key.known_dims().size() - 2]);
    scores = b.call("Where", {visible, scores, hidden}, {}, dtype);
  }
  if (mask.is_missing()) return {b.call("Softmax", {scores}, {{"axis", std::int64_t{-1}}})};
  scores.dims = c.output_dims();  // for the number of axes
  const std::vector<std::int64_t> last = {scores.rank() - 1};
  const double least = dtype == DType::float64
                           ? std::numeric_limits<double>::lowest()
                           : static_cast<double>(std::numeric_limits<float>::lowest());
  const bool is_half = size_of(dtype) == 2;
  const Operand limit = b.number(is_half ? -65504.0 : least, dtype);
  const Operand top = b.call("Max", {b.reduce("ReduceMax", scores, last, true), limit});
  Operand weights = b.call("Exp", {b.call("Sub", {scores, top})});
  weights.dims = scores.dims;
  const Operand total = b.reduce("ReduceSum", weights, last, true);
  const Operand is_zero = b.call("Equal", {total, b.number(0.0, dtype)}, {}, DType::boolean);
  return {
      b.call("Div", {weights, b.call("Where", {is_zero, b.number(1.0, dtype), total}, {}, dtype)})};
}

// fourier_transform(x, inverse): of pairs along the last axis, without the factor 1 / N.
Item fourier_transform_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  if (b.opset() < 17) no_form("ONNX has Fourier transforms from opset 17 on");
  const Operand x = a.tensor(0);
  const std::int64_t axis = x.rank() - 2;
  const bool is_one = axis == 0;  // ONNX asks for an axis of a batch
  const Operand rows = is_one ? b.call("Unsqueeze", {x, b.integers({0})}) : x;
  Attributes attributes = {{"inverse", std::int64_t{a.flag(1)}}};
  if (b.opset() < 20) attributes.emplace_back("axis", is_one ? 1 : axis);  // from 20 on it is -2
  Operand made = b.call("DFT", {rows}, attributes);
  if (is_one) made = b.call("Squeeze", {made, b.integers({0})});
  const Dim size = resolve(x.known_dims()[static_cast<std::size_t>(axis)]);
  return {a.flag(1) ? b.call("Mul", {made, b.number(size, x.dtype)}) : made};
}

}  // namespace

std::span<const FormRow> matrix_forms() {
  static constexpr FormRow rows[] = {
      {"linear", linear_form},
      {"attention_weights", attention_weights_form},
      {"fourier_transform", fourier_transform_form},
  };
  return rows;
}

}  // namespace mithril::onnx
