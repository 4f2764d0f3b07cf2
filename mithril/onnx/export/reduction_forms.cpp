// Reductions, and what repeats their results.
#include <algorithm>
#include <limits>
#include <string>

#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {
namespace {

bool is_reduced(const std::vector<std::int64_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

Dim count_of(const std::vector<Dim>& dims, const std::vector<std::int64_t>& axes) {
  Dim count = 1;
  for (const std::int64_t axis : axes) count = count * dims[static_cast<std::size_t>(axis)];
  return resolve(count);
}

// max(count - correction, 0).
Operand corrected_count(GraphBuilder& b, const Dim& count, double correction, DType dtype) {
  if (count.is_constant())
    return b.number(std::max(static_cast<double>(count.constant()) - correction, 0.0), dtype);
  const Operand whole = b.number(count, dtype);
  if (correction == 0) return whole;
  return b.call("Max", {b.call("Sub", {whole, b.number(correction, dtype)}), b.number(0.0, dtype)});
}

// reduce("ReduceSum", x, axis, keepdim). The mean of no elements is NaN, and 0 in ONNX Runtime.
// Their extremum is an error, except in a result without elements.
Item reduce_form(const FormContext& c, const FormArguments& a) {
  Operand x = a.tensor(1);
  const std::string op = a.text(0);
  const auto is_zero = [](const Dim& dim) { return resolve(dim).is_constant(0); };
  const bool is_empty = std::any_of(x.known_dims().begin(), x.known_dims().end(), is_zero);
  if (is_empty && op != "ReduceSum" && op != "ReduceProd") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const Operand number = c.builder().number(op == "ReduceMean" ? nan : 0.0, x.dtype);
    return {c.builder().expand(number, c.output_dims())};
  }
  const std::vector<std::int64_t> axes = a.axes(2, x.rank());
  if (x.dtype == DType::boolean) x = c.builder().cast(x, DType::int32);
  return {c.builder().reduce(op, x, axes, a.flag(3))};
}

// The index of an extremum: best("ArgMax", x, axis).
Item best_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  Operand x = a.tensor(1);
  const auto rank = x.rank();
  if (x.dtype == DType::boolean) x = b.cast(x, DType::int32);
  const bool is_flat = a.is_none(2) || rank == 0;
  if (is_flat) x = b.call("Reshape", {x, b.integers({-1})});
  const Attributes attributes = {{"axis", is_flat ? std::int64_t{0} : a.axis(2, rank)},
                                 {"keepdims", std::int64_t{!is_flat && a.flag(3)}}};
  const Operand made = b.call(a.text(0), {x}, attributes, DType::int64);
  return {is_flat ? b.reshape(made, c.output_dims()) : made};
}

Item variance_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const std::vector<std::int64_t> axes = a.axes(1, x.rank());
  const Operand distance = b.call("Sub", {x, b.reduce("ReduceMean", x, axes, true)});
  Operand squares = b.call("Mul", {distance, distance});
  squares.dims = x.dims;
  const Operand total = b.reduce("ReduceSum", squares, axes, a.flag(2));
  return {b.call("Div", {total, corrected_count(b, count_of(x.known_dims(), axes),
                                                a.value(3).real(), x.dtype)})};
}

// The result of a reduction repeated along the reduced axes, divided by their corrected count.
Item expand_reduced_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const std::vector<Dim> dims = a.dims(1);
  const std::vector<std::int64_t> axes = a.axes(2, static_cast<std::int64_t>(dims.size()));
  std::vector<Dim> kept = dims;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (is_reduced(axes, axis)) kept[axis] = 1;
  Operand x = a.tensor(0);
  if (static_cast<std::size_t>(x.rank()) != kept.size()) x = b.reshape(x, kept);
  const Operand whole = b.expand(x, dims);
  if (a.is_none(3)) return {whole};
  const Operand count =
      corrected_count(b, count_of(dims, axes), a.value(3).real(), c.output().dtype);
  return {b.call("Div", {whole, count})};
}

// The sum over the axes along which a shape was broadcast.
Item sum_to_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const std::vector<Dim> dims = a.dims(1);
  const std::size_t added = x.known_dims().size() - dims.size();
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < x.dims->size(); ++axis) {
    const bool is_stretched = axis >= added && resolve(dims[axis - added]).is_constant(1) &&
                              !resolve((*x.dims)[axis]).is_constant(1);
    if (axis < added || is_stretched) axes.push_back(static_cast<std::int64_t>(axis));
  }
  const Operand sum = b.reduce("ReduceSum", x, axes, true);
  return {added == 0 ? sum : b.reshape(sum, dims)};
}

Item cumsum_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  if (a.tensor(0).rank() == 0) return {a.tensor(0)};
  return {b.call("CumSum", {a.tensor(0), b.number(static_cast<double>(a.integer(1)), DType::int64)},
                 {{"reverse", std::int64_t{a.flag(2)}}})};
}

// The indices that sort: argsort(x, axis, descending, count).
Item argsort_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  Operand x = a.tensor(0);
  const std::int64_t rank = x.rank();
  if (rank == 0) return {b.number(0.0, DType::int64)};
  const auto axis = static_cast<std::size_t>(a.axis(1, rank));
  const Dim count = a.is_none(3) ? x.known_dims()[axis] : a.value(3).dim();
  if (x.dtype == DType::boolean) x = b.cast(x, DType::int32);
  const std::vector<Operand> made = b.call_several(
      "TopK", {x, b.size(count)},
      {{"axis", static_cast<std::int64_t>(axis)}, {"largest", std::int64_t{a.flag(2)}}},
      {x.dtype, DType::int64});
  return {made[1]};
}

// An op along an axis: along("Softmax", x, axis). A number has one element along its axis.
Item along_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(1);
  const bool is_number = x.rank() == 0;
  const Operand row = is_number ? b.reshape(x, {1}) : x;
  const Operand made =
      b.call(a.text(0), {row}, {{"axis", is_number ? std::int64_t{0} : a.integer(2)}});
  return {is_number ? b.reshape(made, {}) : made};
}

// softmax_grad(grad, result, axis).
Item softmax_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand grad = a.tensor(0), result = a.tensor(1);
  Operand product = b.call("Mul", {grad, result});
  const Operand sum = b.reduce("ReduceSum", product, a.axes(2, result.rank()), true);
  return {b.call("Mul", {result, b.call("Sub", {grad, sum})})};
}

// log_softmax_grad(grad, result, axis).
Item log_softmax_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand grad = a.tensor(0), result = a.tensor(1);
  const Operand sum = b.reduce("ReduceSum", grad, a.axes(2, result.rank()), true);
  return {b.call("Sub", {grad, b.call("Mul", {b.call("Exp", {result}), sum})})};
}

}  // namespace

std::span<const FormRow> reduction_forms() {
  static constexpr FormRow rows[] = {
      {"reduce", reduce_form},
      {"best", best_form},
      {"variance", variance_form},
      {"expand_reduced", expand_reduced_form},
      {"sum_to", sum_to_form},
      {"along", along_form},
      {"cumsum", cumsum_form},
      {"argsort", argsort_form},
      {"softmax_grad", softmax_grad_form},
      {"log_softmax_grad", log_softmax_grad_form},
  };
  return rows;
}

}  // namespace mithril::onnx
