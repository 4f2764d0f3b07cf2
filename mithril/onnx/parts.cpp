#include "mithril/onnx/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mithril/tensor/low_bit.hpp"

namespace mithril::onnx {

Connection layer(std::string_view name, const Arguments& arguments, const Bindings& inputs) {
  return make_model(name, arguments).apply(inputs).front();
}

Connection port(const char* name) { return Connection(IOKey{.name = name}); }

Binding tuple_of(const std::vector<std::int64_t>& numbers) { return Datum::ints(numbers); }

std::vector<std::int64_t> range_to(std::size_t end, std::size_t begin) {
  std::vector<std::int64_t> made;
  for (std::size_t i = begin; i < end; ++i) made.push_back(static_cast<std::int64_t>(i));
  return made;
}

Connection reshaped(const Connection& x, const std::vector<Size>& sizes) {
  return apply("reshape", {x, Binding(bindings_of(sizes))});
}

Connection transposed(const Connection& x, const std::vector<std::int64_t>& axes) {
  return apply("transpose", {x, tuple_of(axes)});
}

Connection expanded(const Connection& x, const std::vector<std::int64_t>& axes) {
  if (axes.empty()) return x;
  return apply("expand_dims", {x, tuple_of(axes)});
}

Connection sliced(const Connection& x, std::int64_t axis, const Binding& start,
                  const Binding& stop) {
  return apply("slice", {x, Binding({start}), Binding({stop}), none, tuple_of({axis})});
}

Connection joined(const std::vector<Connection>& parts, std::int64_t axis) {
  if (parts.size() == 1) return parts.front();
  return apply("concat", {Binding(std::vector<Binding>(parts.begin(), parts.end())), axis});
}

Connection converted(const Connection& x, ElementType type) {
  const auto dtype = held_dtype(type);
  if (!dtype) refuse("Mithril has no tensors of " + name_of(type));
  return x.cast(*dtype);
}

namespace {

// A power of two beside x. From the nearest one follow those below and above.
Connection power_of_two(const NodeContext& node, const Connection& x) {
  const std::string mode = node.text("round_mode", "up");
  const Connection wide = x.cast(DType::float32);
  const Connection held = wide.clamp(std::ldexp(1.0, -127), std::ldexp(1.0, 127));
  const Connection near = held.cast(DType::float8_e8m0fnu).cast(DType::float32);
  Connection made = mode == "up"     ? selected(near < held, near * 2.0, near)
                    : mode == "down" ? selected(near > held, near * 0.5, near)
                                     : near;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!node.flag("saturate", true)) made = selected(wide.eq(held), made, nan);
  return made.cast(DType::float8_e8m0fnu);
}

}  // namespace

Connection saturated(const NodeContext& node, const Connection& x, ElementType type) {
  const auto dtype = held_dtype(type);
  if (!dtype || !is_low_bit(*dtype) || !is_floating(*dtype)) return converted(x, type);
  if (dtype == DType::float8_e8m0fnu) return power_of_two(node, x);
  if (!node.flag("saturate", true)) return converted(x, type);
  double largest = 0;
  for (const float number : numbers_of(*dtype)) {
    if (std::isfinite(number)) largest = std::max<double>(largest, number);
  }
  return converted(x.clamp(-largest, largest), type);
}

Connection widened(const NodeContext& node) {
  return node.type() == ElementType::int32 ? node[0].cast(DType::int64) : node[0];
}

Connection constant(const Tensor& tensor) { return apply("buffer", {Binding(tensor)}); }

Connection constant(const std::vector<std::int64_t>& numbers) {
  return constant(Tensor::of(numbers));
}

Connection positions_to(const Size& count) { return apply("arange", {binding_of(count)}); }

Connection matrix_product(const Connection& a, const Connection& b, std::size_t rank_a,
                          std::size_t rank_b) {
  const Connection left = rank_a == 1 ? expanded(a, {0}) : a;
  const Connection right = rank_b == 1 ? expanded(b, {1}) : b;
  Connection made = apply("matmul", {left, right});
  if (rank_b == 1) made = apply("squeeze", {made, -1});
  if (rank_a == 1) made = apply("squeeze", {made, rank_b == 1 ? -1 : -2});
  return made;
}

Connection squared(const Connection& x) { return apply("square", {x}); }

Connection selected(const Connection& condition, const Binding& yes, const Binding& no) {
  return apply("where", {condition, yes, no});
}

namespace {

// Computes known sizes with `overflows`, which returns whether 64 bits do not hold the result, and
// others with the op.
template <typename Overflows>
Size combined(const Size& a, const Size& b, const char* op, const char* result,
              const Overflows& overflows) {
  const auto *left = std::get_if<std::int64_t>(&a), *right = std::get_if<std::int64_t>(&b);
  if (!left || !right) return apply(op, {binding_of(a), binding_of(b)});
  std::int64_t made = 0;
  if (overflows(*left, *right, &made))
    refuse(std::string("the ") + result + " of its sizes is too large");
  return made;
}

}  // namespace

Size plus(const Size& a, const Size& b) {
  return combined(a, b, "add", "sum", [](auto left, auto right, auto* sum) {
    return __builtin_add_overflow(left, right, sum);
  });
}

Size minus(const Size& a, const Size& b) {
  return combined(a, b, "subtract", "difference", [](auto left, auto right, auto* difference) {
    return __builtin_sub_overflow(left, right, difference);
  });
}

Size times(const Size& a, const Size& b) {
  return combined(a, b, "multiply", "product", [](auto left, auto right, auto* product) {
    return __builtin_mul_overflow(left, right, product);
  });
}

Size product_of(const std::vector<Size>& sizes) {
  Size product = std::int64_t{1};
  for (const Size& size : sizes) {
    const auto* known = std::get_if<std::int64_t>(&product);
    product = known && *known == 1 ? size : times(product, size);
  }
  return product;
}

std::vector<Size> part_of(const std::vector<Size>& sizes, std::size_t begin, std::size_t end) {
  return {sizes.begin() + static_cast<std::ptrdiff_t>(begin),
          sizes.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::vector<Size> operator+(std::vector<Size> a, const std::vector<Size>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ElementType element_type(const NodeContext& node, const std::string& attribute,
                         ElementType fallback) {
  const auto stated = static_cast<ElementType>(node.integer(attribute, 0));
  return stated == ElementType::undefined ? fallback : stated;
}

}  // namespace mithril::onnx
