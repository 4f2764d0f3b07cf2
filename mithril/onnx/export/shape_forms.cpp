// Shapes, and the movement of elements that depends on no other elements.
#include <algorithm>
#include <limits>
#include <numeric>

#include "mithril/onnx/export/form.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril::onnx {
namespace {

Item reshape_form(const FormContext& c, const FormArguments& a) {
  return {c.builder().reshape(a.tensor(0), a.dims(1))};
}

Item expand_form(const FormContext& c, const FormArguments& a) {
  return {c.builder().expand(a.tensor(0), a.dims(1))};
}

Operand permuted_operand(const FormContext& c, const Operand& x,
                         const std::vector<std::int64_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return x;
  return c.builder().call("Transpose", {x}, {{"perm", order}});
}

Item transpose_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0);
  std::vector<std::int64_t> order;
  for (std::int64_t axis = x.rank(); axis-- > 0;) order.push_back(axis);
  if (a.is_none(1)) return {permuted_operand(c, x, order)};
  order.clear();
  for (const Datum& axis : items_of(a.value(1)))
    order.push_back(axis.integer() < 0 ? axis.integer() + x.rank() : axis.integer());
  return {permuted_operand(c, x, order)};
}

Item swapaxes_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(a.axis(1, x.rank()))],
            order[static_cast<std::size_t>(a.axis(2, x.rank()))]);
  return {permuted_operand(c, x, order)};
}

// Removes axes, or adds them: the axes are those of the longer shape.
Item squeeze_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0);
  if (a.is_none(1)) return {c.builder().reshape(x, c.output_dims())};
  return {c.builder().call("Squeeze", {x, c.builder().integers(a.axes(1, x.rank()))})};
}

Item unsqueeze_form(const FormContext& c, const FormArguments& a) {
  const auto rank = static_cast<std::int64_t>(c.output_dims().size());
  return {c.builder().call("Unsqueeze", {a.tensor(0), c.builder().integers(a.axes(1, rank))})};
}

Item concat_form(const FormContext& c, const FormArguments& a) {
  std::vector<Operand> parts = a.tensors(0);
  if (a.is_none(1))
    for (Operand& part : parts)
      part = c.builder().call("Reshape", {part, c.builder().integers({-1})});
  const std::int64_t axis = a.is_none(1) ? 0 : a.integer(1);
  return {c.builder().call("Concat", parts, {{"axis", axis}})};
}

Item split_form(const FormContext& c, const FormArguments& a) {
  const std::vector<DType> dtypes(c.node().outputs.size(), c.output().dtype);
  std::vector<Item> parts;
  for (Operand& part : c.builder().call_several(
           "Split", {a.tensor(0), c.builder().shape(a.dims(1))}, {{"axis", a.integer(2)}}, dtypes))
    parts.push_back({std::move(part)});
  return {std::move(parts)};
}

// The bounds of slices as ONNX states them.
struct SliceBounds {
  std::vector<Dim> starts, stops;
  std::vector<std::int64_t> axes, steps;
};

SliceBounds bounds_of(const FormArguments& a, std::size_t first) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  SliceBounds bounds;
  const Tuple &starts = a.value(first).tuple(), &stops = a.value(first + 1).tuple();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Datum step = a.is_none(first + 2) ? Datum() : a.value(first + 2).tuple()[i];
    bounds.steps.push_back(step.is_none() ? 1 : step.integer());
    const bool is_forward = bounds.steps.back() > 0;
    bounds.starts.push_back(starts[i].is_none() ? Dim(is_forward ? std::int64_t{0} : most)
                                                : starts[i].dim());
    bounds.stops.push_back(stops[i].is_none() ? Dim(is_forward ? most : -most) : stops[i].dim());
    bounds.axes.push_back(a.is_none(first + 3) ? static_cast<std::int64_t>(i)
                                               : a.value(first + 3).tuple()[i].integer());
  }
  return bounds;
}

Item slice_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const SliceBounds bounds = bounds_of(a, 1);
  if (bounds.axes.empty()) return {a.tensor(0)};
  return {b.call("Slice", {a.tensor(0), b.shape(bounds.starts), b.shape(bounds.stops),
                           b.integers(bounds.axes), b.integers(bounds.steps)})};
}

// Zeros around the elements that slices took with steps of 1.
Item slice_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const std::vector<Dim> whole = a.dims(1);
  const SliceBounds bounds = bounds_of(a, 2);
  const Operand x = a.tensor(0);
  std::vector<Dim> before(whole.size(), Dim(0)), after(whole.size(), Dim(0));
  for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
    if (bounds.steps[i] != 1) no_form("ONNX has no gradient of a slice with steps");
    const auto axis = static_cast<std::size_t>(
        bounds.axes[i] < 0 ? bounds.axes[i] + static_cast<std::int64_t>(whole.size())
                           : bounds.axes[i]);
    const Dim start = resolve(bounds.starts[i]);
    const bool is_from_end = start.is_constant() && start.constant() < 0;
    before[axis] = is_from_end ? resolve(whole[axis] + start) : start;
    after[axis] = resolve(whole[axis] - x.known_dims()[axis] - before[axis]);
  }
  before.insert(before.end(), after.begin(), after.end());
  return {b.call("Pad", {x, b.shape(before)})};
}

Item pad_form(const FormContext& c, const FormArguments& a) {
  std::vector<Dim> widths;
  for (const Datum& pair : a.value(1).tuple()) widths.push_back(items_of(pair)[0].dim());
  for (const Datum& pair : a.value(1).tuple()) widths.push_back(items_of(pair)[1].dim());
  if (widths.empty()) return {a.tensor(0)};
  return {c.builder().call("Pad", {a.tensor(0), c.builder().shape(widths), a.tensor(2)})};
}

// The elements from (-shift) mod size on, then those before.
Operand rolled(GraphBuilder& b, const Operand& x, const Dim& shift, std::int64_t axis,
               const Dim& size) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Dim known = resolve(size), back = resolve(Dim(0) - shift);
  if (known.is_constant(0)) return x;
  Operand start;
  if (known.is_constant() && back.is_constant()) {
    const std::int64_t count = known.constant();
    start = b.integers({(back.constant() % count + count) % count});
  } else {
    start = b.call("Mod", {b.size(back), b.size(known)});
  }
  const Operand axes = b.integers({axis});
  const Operand tail = b.call("Slice", {x, start, b.integers({most}), axes});
  const Operand head = b.call("Slice", {x, b.integers({0}), start, axes});
  return b.call("Concat", {tail, head}, {{"axis", axis}});
}

Item roll_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const Tuple shifts = items_of(a.value(1));
  if (a.is_none(2)) {
    const Operand flat = b.call("Reshape", {x, b.integers({-1})});
    Dim count = 1;
    for (const Dim& dim : x.known_dims()) count = count * dim;
    return {b.reshape(rolled(b, flat, shifts.front().dim(), 0, count), x.known_dims())};
  }
  Operand made = x;
  const Tuple axes = items_of(a.value(2));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis =
        axes[i].integer() < 0 ? axes[i].integer() + x.rank() : axes[i].integer();
    made = rolled(b, made, shifts[shifts.size() == 1 ? 0 : i].dim(), axis,
                  x.known_dims()[static_cast<std::size_t>(axis)]);
  }
  return {made};
}

// Part number `part` of a concatenation of these tensors.
Item concat_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const std::vector<Operand> likes = a.tensors(1);
  const auto part = static_cast<std::size_t>(a.integer(3));
  const auto axis = a.is_none(2) ? std::size_t{0} : static_cast<std::size_t>(a.axis(2, x.rank()));
  const auto size_of = [&](const Operand& like) {
    if (!a.is_none(2)) return like.known_dims()[axis];
    Dim count = 1;
    for (const Dim& dim : like.known_dims()) count = count * dim;
    return count;
  };
  Dim start = 0;
  for (std::size_t i = 0; i < part; ++i) start = start + size_of(likes[i]);
  const Operand taken =
      b.call("Slice", {x, b.shape({start}), b.shape({start + size_of(likes[part])}),
                       b.integers({static_cast<std::int64_t>(axis)})});
  return {b.reshape(taken, likes[part].known_dims())};
}

// start + step * i.
Item arange_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const DType dtype = c.output().dtype;
  const Operand zero = b.number(0.0, DType::int64), one = b.number(1.0, DType::int64);
  const Operand counts =
      b.call("Range", {zero, b.number(a.dims(2).front(), DType::int64), one}, {}, DType::int64);
  const Operand scaled = b.call("Mul", {b.cast(counts, dtype), a.tensor(1)});
  return {b.call("Add", {scaled, a.tensor(0)})};
}

// Numbers that are sizes.
Item numbers_form(const FormContext& c, const FormArguments& a) {
  std::vector<Dim> sizes;
  for (const Datum& size : items_of(a.value(0))) {
    if (size.kind() != kind::int_value) no_form("sizes beside other numbers in one tensor");
    sizes.push_back(size.dim());
  }
  return {c.builder().reshape(c.builder().shape(sizes), c.output_dims())};
}

}  // namespace

std::span<const FormRow> shape_forms() {
  static constexpr FormRow rows[] = {
      {"reshape", reshape_form},         {"expand", expand_form},   {"transpose", transpose_form},
      {"swapaxes", swapaxes_form},       {"squeeze", squeeze_form}, {"unsqueeze", unsqueeze_form},
      {"concat", concat_form},           {"split", split_form},     {"slice", slice_form},
      {"slice_grad", slice_grad_form},   {"pad", pad_form},         {"roll", roll_form},
      {"concat_grad", concat_grad_form}, {"arange", arange_form},   {"numbers", numbers_form},
  };
  return rows;
}

}  // namespace mithril::onnx
