// Constants, and tensors made of sizes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Outputs constant_of(const NodeContext& node) {
  if (const AttributeRecord* value = node.attribute("value"))
    return {Value(node.tensor(*value), value->t->type)};
  if (node.attribute("value_float"))
    return {
        Value(Tensor::scalar(static_cast<float>(node.real("value_float"))), ElementType::float32)};
  if (node.attribute("value_int"))
    return {Value(Tensor::scalar(node.integer("value_int")), ElementType::int64)};
  if (node.attribute("value_floats"))
    return {Value(Tensor::of(node.reals("value_floats")), ElementType::float32)};
  if (node.attribute("value_ints"))
    return {Value(Tensor::of(*node.integers("value_ints")), ElementType::int64)};
  refuse("it has no value that is a tensor of numbers");
}

Outputs constant_of_shape(const NodeContext& node) {
  const AttributeRecord* value = node.attribute("value");
  ElementType type = ElementType::float32;
  Tensor element = Tensor::scalar(0.0F);
  if (value) {
    if (!value->t) refuse("its attribute 'value' is not a tensor");
    type = value->t->type;
    element = *node.tensor(*value);
  }
  if (element.size() != 1) refuse("its value is not one element");
  const Binding shape(bindings_of(node.elements(0)));
  if (type == ElementType::boolean) {
    const Connection zeros = apply("full", {shape, element.item() != 0});
    return {Value(zeros, type)};
  }
  const auto dtype = held_dtype(type);
  if (!dtype) refuse("models have no tensors of " + name_of(type));
  const Binding number = is_float(type)
                             ? Binding(element.item())
                             : Binding(element.to(DType::int64).values<std::int64_t>()[0]);
  return {Value(apply("full", {shape, number, *dtype}), type)};
}

Outputs eye_like(const NodeContext& node) {
  const ElementType type = element_type(node, "dtype", node.type());
  const std::int64_t shift = node.integer("k", 0);
  const std::vector<Size> sizes = node.sizes();
  if (sizes.size() != 2) refuse("its input is not a matrix");
  const Connection rows = expanded(positions_to(sizes[0]), {1});
  return {Value(converted(positions_to(sizes[1]).eq(rows + shift), type), type)};
}

// The numbers of a range of floats are start + i * delta, each rounded once more.
Outputs range(const NodeContext& node) {
  const ElementType type = node.type();
  if (is_float(type)) {
    const double start = node.number(0), delta = node.number(2);
    const double count = std::max(0.0, std::ceil((node.number(1) - start) / delta));
    if (!(count <= static_cast<double>(most_number))) refuse("it has too many elements");
    const Connection steps = positions_to(static_cast<std::int64_t>(count)).cast(DType::float64);
    return {Value(converted(steps * delta + start, type), type)};
  }
  for (const std::size_t i : {0, 1, 2})
    need_count("its input " + std::to_string(i), node.elements(i).size(), 1);
  const Size start = node.elements(0).front(), stop = node.elements(1).front(),
             step = node.elements(2).front();
  const Connection made = apply("arange", {binding_of(stop), binding_of(start), binding_of(step)});
  return {Value(type == ElementType::int64 ? made : converted(made, type), type)};
}

// The cosine window with these coefficients.
Outputs window(const NodeContext& node, const std::vector<double>& coefficients) {
  const std::int64_t size = within("its size", node.clamped(0, -1, most_number), 0);
  const double period = static_cast<double>(node.flag("periodic", true) ? size : size - 1);
  const ElementType type = element_type(node, "output_datatype", ElementType::float32);
  const Connection places = positions_to(size).cast(DType::float64);
  Connection sum = apply("full", {tuple_of({size}), coefficients[0], DType::float64});
  for (std::size_t k = 1; k < coefficients.size(); ++k) {
    const Connection angles = places * (2 * std::numbers::pi * static_cast<double>(k)) / period;
    sum = sum + apply("cos", {angles}) * coefficients[k];
  }
  return {Value(converted(sum, type), type)};
}

Outputs hann(const NodeContext& node) { return window(node, {0.5, -0.5}); }
Outputs hamming(const NodeContext& node) { return window(node, {25.0 / 46.0, -21.0 / 46.0}); }
Outputs blackman(const NodeContext& node) { return window(node, {0.42, -0.5, 0.08}); }

// In inference nothing is dropped.
Outputs dropout(const NodeContext& node) {
  const bool trains = node.has(2) && node.number(2) != 0;
  const double ratio = node.has(1) ? node.number(1) : node.real("ratio", 0.5);
  if (trains && ratio != 0) refuse("it draws random numbers: training_mode is true");
  if (!node.wants(1)) return {node[0]};
  const Connection mask = node[0].eq(node[0]) | apply("is_nan", {node[0]});
  return {node[0], Value(mask, ElementType::boolean)};
}

}  // namespace

std::vector<OpRow> creation_rows() {
  const std::string_view known = "a size that depends on data";
  return {
      {"BlackmanWindow", 17, blackman, "a constant", known},
      {"Constant", 1, constant_of, "a constant, or a parameter", "strings, sparse tensors", true},
      {"ConstantOfShape", 9, constant_of_shape, "Full", "a shape that depends on data", true},
      of_floats({"Dropout", 1, dropout, "the connection itself", "training_mode"}),
      {"EyeLike", 9, eye_like, "Arange, Equal, Cast"},
      {"HammingWindow", 17, hamming, "a constant", known},
      {"HannWindow", 17, hann, "a constant", known},
      {"Range", 11, range, "Arange", "limits that depend on data"},
  };
}

}  // namespace mithril::onnx
