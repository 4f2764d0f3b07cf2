#include "mithril/onnx/value.hpp"

#include "mithril/infer/facts.hpp"
#include "mithril/op/part.hpp"

namespace mithril::onnx {

Binding binding_of(const Size& size) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) return Binding(*number);
  return Binding(std::get<Connection>(size));
}

std::vector<Binding> bindings_of(const std::vector<Size>& sizes) {
  std::vector<Binding> made;
  for (const Size& size : sizes) made.push_back(binding_of(size));
  return made;
}

std::optional<std::vector<std::int64_t>> numbers_of(const std::vector<Size>& sizes) {
  std::vector<std::int64_t> made;
  for (const Size& size : sizes) {
    const auto* number = std::get_if<std::int64_t>(&size);
    if (!number) return std::nullopt;
    made.push_back(*number);
  }
  return made;
}

Value Value::of_sizes(const std::vector<Size>& sizes, const Dims& dims) {
  Value made;
  made.type = ElementType::int64;
  if (const auto numbers = numbers_of(sizes)) {
    made.known = Tensor::of(dims, *numbers);
    return made;
  }
  made.sizes = sizes;
  made.dims_of_sizes = dims;
  return made;
}

Value Value::of_sizes(const std::vector<Size>& sizes, bool is_scalar) {
  return of_sizes(sizes, is_scalar ? Dims{} : Dims{static_cast<std::int64_t>(sizes.size())});
}

std::optional<std::vector<Size>> sizes_of(const Connection& connection) {
  const KnownShape shape = connection.known_shape();
  if (!shape.rank()) return std::nullopt;
  std::vector<Size> sizes;
  for (std::size_t axis = 0; axis < *shape.rank(); ++axis) {
    const auto number = shape.head()[axis].number();
    if (number) {
      sizes.emplace_back(*number);
    } else {
      sizes.emplace_back(connection.size(static_cast<std::int64_t>(axis)));
    }
  }
  return sizes;
}

namespace {

std::optional<Dim> dim_of(const Size& size) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) return Dim(*number);
  const Wire* wire = std::get<Connection>(size).wire();
  const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
  if (!value || !value->known || value->datum.kind() != kind::int_value) return std::nullopt;
  return value->datum.dim();
}

}  // namespace

bool are_same(const Size& a, const Size& b) {
  const auto left = dim_of(a), right = dim_of(b);
  return left && right && same(*left, *right);
}

}  // namespace mithril::onnx
