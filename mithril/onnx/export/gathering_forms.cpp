// Elements that are taken from, or put at, places that other elements name.
#include <numeric>

#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {
namespace {

Item gather_form(const FormContext& c, const FormArguments& a) {
  const Operand x = a.tensor(0);
  return {c.builder().call("Gather", {x, a.index(1)}, {{"axis", a.integer(2)}})};
}

Operand zeros(GraphBuilder& b, DType dtype, const std::vector<Dim>& dims) {
  return b.expand(b.number(0.0, dtype), dims);
}

std::string reduction_name(const GraphBuilder& b, const std::string& reduce) {
  const bool is_extremum = reduce == "amax" || reduce == "amin";
  if (reduce != "set" && b.opset() < 16) no_form("ONNX adds to elements from opset 16 on");
  if (is_extremum && b.opset() < 18) no_form("ONNX scatters extrema from opset 18 on");
  if (reduce == "prod") return "mul";
  if (is_extremum) return reduce.substr(1);
  return reduce == "set" ? "none" : reduce;
}

// scatter(x, index, source, axis, reduce).
Item scatter_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  Attributes attributes = {{"axis", a.integer(3)}};
  const std::string reduction = reduction_name(b, a.text(4));
  if (reduction != "none") attributes.emplace_back("reduction", reduction);
  return {b.call("ScatterElements", {a.tensor(0), a.index(1), a.tensor(2)}, std::move(attributes))};
}

// Zeros, with an element of each sample put at its class: place_class(x, index, dims).
Item place_class_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), one = b.integers({1});
  const Operand source = b.call("Unsqueeze", {x, one}),
                index = b.call("Unsqueeze", {a.index(1), one});
  return {b.call("ScatterElements", {zeros(b, x.dtype, a.dims(2)), index, source},
                 {{"axis", std::int64_t{1}}})};
}

// Zeros, to which each row is added at the place from which `gather` takes it:
// scatter_add(x, index, dims, axis).
Item scatter_add_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  if (b.opset() < 16) no_form("ONNX adds to elements from opset 16 on");
  const Operand x = a.tensor(0), index = a.index(1);
  const std::vector<Dim> dims = a.dims(2);
  const auto rank = static_cast<std::int64_t>(dims.size());
  const std::int64_t axis = a.axis(3, rank), taken = index.rank();
  // The axis comes first, and the axes of the index are the first ones of x.
  std::vector<std::int64_t> order = {axis}, back(dims.size()), rows;
  for (std::int64_t i = 0; i < rank; ++i)
    if (i != axis) order.push_back(i);
  std::vector<Dim> moved;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    moved.push_back(dims[static_cast<std::size_t>(order[i])]);
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  for (std::int64_t i = 0; i < taken; ++i) rows.push_back(axis + i);
  for (std::int64_t i = 0; i < rank - 1 + taken; ++i)
    if (i < axis || i >= axis + taken) rows.push_back(i);
  const Operand updates = axis == 0 ? x : b.call("Transpose", {x}, {{"perm", rows}});
  const Operand places = b.call("Unsqueeze", {index, b.integers({-1})});
  const Operand made =
      b.call("ScatterND", {zeros(b, x.dtype, moved), b.cast(places, DType::int64), updates},
             {{"reduction", std::string("add")}});
  return {axis == 0 ? made : b.call("Transpose", {made}, {{"perm", back}})};
}

}  // namespace

std::span<const FormRow> gathering_forms() {
  static constexpr FormRow rows[] = {
      {"gather", gather_form},
      {"scatter", scatter_form},
      {"place_class", place_class_form},
      {"scatter_add", scatter_add_form},
  };
  return rows;
}

}  // namespace mithril::onnx
