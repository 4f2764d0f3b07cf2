#include "mithril/onnx/sizes.hpp"

#include <algorithm>
#include <limits>

#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Size over(const Size& a, const Size& b) {
  const auto *left = std::get_if<std::int64_t>(&a), *right = std::get_if<std::int64_t>(&b);
  if (right && *right == 0) refuse("it divides a size by 0");
  if (left && right && *right == -1 && *left == std::numeric_limits<std::int64_t>::min())
    refuse("the quotient of its sizes is too large");
  if (left && right) return *left / *right;
  if (right && *right < 0) refuse("it divides a size by a negative number");
  return apply("floor_divide", {binding_of(a), binding_of(b)});
}

constexpr std::int64_t most_sizes = 4096;  // in one vector

using SizeFunction = Size (*)(const Size&, const Size&);

SizeFunction arithmetic_of(const std::string& op) {
  if (op == "Add") return plus;
  if (op == "Sub") return minus;
  if (op == "Mul") return times;
  return nullptr;
}

// The types of sizes in ONNX files.
bool is_size_type(ElementType type) {
  return type == ElementType::int64 || type == ElementType::int32;
}

std::size_t rank_of(const Value& value) {
  return value.sizes ? value.dims_of_sizes.size() : value.known.dims().size();
}

// Whether the input is a vector or a scalar of sizes, or of as few known ints as axes.
bool is_few_sizes(const Value& value) {
  if (value.sizes) return rank_of(value) <= 1;
  return value.known && is_size_type(value.type) && rank_of(value) <= 1 &&
         value.known.size() <= static_cast<std::int64_t>(most_axes);
}

// Whether all inputs are few known numbers. Some may be left out.
bool is_few_numbers(const NodeContext& node) {
  return node.count() <= most_axes &&
         std::all_of(node.values().begin(), node.values().end(), [](const Value& value) {
           return value.type == ElementType::undefined || is_few_sizes(value);
         });
}

// Whether the input is a vector or a scalar of sizes, or of known ints.
bool is_size_like(const Value& value) {
  return (value.sizes || (value.known && is_int(value.type))) && rank_of(value) <= 1;
}

bool is_scalar(const Value& value) { return rank_of(value) == 0; }

// Nothing if the function has no size for two elements.
template <typename Function>
std::optional<Outputs> elementwise_sizes(const NodeContext& node, const Function& function) {
  if (!is_size_like(node.value(0)) || !is_size_like(node.value(1))) return std::nullopt;
  if (node.type(0) != node.type(1)) return std::nullopt;
  const std::vector<Size> a = node.elements(0), b = node.elements(1);
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return std::nullopt;
  std::vector<Size> made;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::optional<Size> size = function(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    if (!size) return std::nullopt;
    made.push_back(*size);
  }
  return Outputs{Value::of_sizes(made, is_scalar(node.value(0)) && is_scalar(node.value(1)))};
}

// Whether two sizes are equal; nothing if that depends on a size that is not known.
std::optional<bool> are_equal(const Size& a, const Size& b, bool may_be_negative) {
  const auto *left = std::get_if<std::int64_t>(&a), *right = std::get_if<std::int64_t>(&b);
  if (left && right) return *left == *right;
  const auto* number = left ? left : right;
  if (number && *number < 0 && !may_be_negative) return false;
  return std::nullopt;
}

bool may_be_negative(const NodeContext& node) {
  return std::any_of(node.values().begin(), node.values().end(),
                     [](const Value& value) { return value.may_be_negative; });
}

// The larger or the smaller one; nothing if that depends on a size that is not known.
std::optional<Outputs> extreme_sizes(const NodeContext& node, bool is_largest) {
  if (node.count() != 2) return std::nullopt;
  const bool has_negative = may_be_negative(node);
  return elementwise_sizes(node, [&](const Size& a, const Size& b) -> std::optional<Size> {
    const auto *left = std::get_if<std::int64_t>(&a), *right = std::get_if<std::int64_t>(&b);
    if (left && right) return is_largest ? std::max(*left, *right) : std::min(*left, *right);
    if (!left && !right) return are_same(a, b) ? std::optional(a) : std::nullopt;
    if (has_negative || (left ? *left : *right) > 0) return std::nullopt;
    return (left != nullptr) == is_largest ? b : a;
  });
}

bool is_negative(const Size& size) {
  const auto* number = std::get_if<std::int64_t>(&size);
  return number && *number < 0;
}

// ONNX rounds quotients towards 0, and those of sizes are rounded down.
std::optional<Outputs> quotients(const NodeContext& node) {
  if (node.value(0).is_negated || node.value(1).is_negated) return std::nullopt;
  return elementwise_sizes(node, [](const Size& a, const Size& b) -> std::optional<Size> {
    if (is_negative(a) && !std::get_if<std::int64_t>(&b)) return std::nullopt;
    return over(a, b);
  });
}

// By a positive number.
std::optional<Outputs> remainders(const NodeContext& node) {
  if (may_be_negative(node)) return std::nullopt;
  return elementwise_sizes(node, [](const Size& a, const Size& b) -> std::optional<Size> {
    const auto* divisor = std::get_if<std::int64_t>(&b);
    if (!divisor || *divisor <= 0 || is_negative(a)) return std::nullopt;
    return minus(a, times(over(a, b), b));
  });
}

std::optional<Outputs> negated_sizes(const Value& value) {
  std::vector<Size> made;
  for (const Size& size : *value.sizes) made.push_back(minus(std::int64_t{0}, size));
  return Outputs{Value::of_sizes(made, value.dims_of_sizes)};
}

std::optional<Outputs> compared_sizes(const NodeContext& node) {
  if (!is_size_like(node.value(0)) || !is_size_like(node.value(1))) return std::nullopt;
  const std::vector<Size> a = node.elements(0), b = node.elements(1);
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return std::nullopt;
  std::vector<bool> made;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const auto equal =
        are_equal(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i], may_be_negative(node));
    if (!equal) return std::nullopt;
    made.push_back(*equal);
  }
  const bool is_one = is_scalar(node.value(0)) && is_scalar(node.value(1));
  const Dims dims = is_one ? Dims{} : Dims{static_cast<std::int64_t>(made.size())};
  return Outputs{Value(Tensor::of(dims, made), ElementType::boolean)};
}

std::optional<Outputs> chosen_sizes(const NodeContext& node) {
  const Value& condition = node.value(0);
  if (!condition.known || condition.known.rank() > 1) return std::nullopt;
  if (!is_size_like(node.value(1)) || !is_size_like(node.value(2))) return std::nullopt;
  const auto chosen = condition.known->values<bool>();
  const std::vector<Size> yes = node.elements(1), no = node.elements(2);
  const std::size_t count = std::max({chosen.size(), yes.size(), no.size()});
  for (const std::size_t own : {chosen.size(), yes.size(), no.size()})
    if (own != 1 && own != count) return std::nullopt;
  std::vector<Size> made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Size>& from = chosen[chosen.size() == 1 ? 0 : i] ? yes : no;
    made.push_back(from[from.size() == 1 ? 0 : i]);
  }
  const bool is_one =
      condition.known.rank() == 0 && is_scalar(node.value(1)) && is_scalar(node.value(2));
  return Outputs{Value::of_sizes(made, is_one)};
}

// The only axis of a vector.
bool is_first(std::int64_t axis) { return axis == 0 || axis == -1; }

bool is_along_first(const NodeContext& node) { return is_first(node.integer("axis", 0)); }

// Whether `axes`, an attribute or input i, is the only axis of a vector.
bool are_first(const NodeContext& node, std::size_t i) {
  if (node.has(i) && !node.is_known(i)) return false;
  const auto axes = node.integers_or_input("axes", i);
  return axes && axes->size() == 1 && is_first(axes->front());
}

bool has_axes(const NodeContext& node, std::size_t i) {
  return node.has(i) || node.attribute("axes") != nullptr;
}

std::optional<Outputs> gathered_sizes(const NodeContext& node) {
  const Value& index = node.value(1);
  if (is_scalar(node.value(0)) || !index.known || index.known.rank() > 1 || !is_along_first(node))
    return std::nullopt;
  const std::vector<Size> from = node.elements(0);
  std::vector<Size> made;
  for (const std::int64_t i : node.ints(1))
    made.push_back(from[static_cast<std::size_t>(node.axis(i, from.size()))]);
  return Outputs{Value::of_sizes(made, index.known.rank() == 0)};
}

std::optional<Outputs> joined_sizes(const NodeContext& node) {
  std::vector<Size> made;
  if (!is_along_first(node)) return std::nullopt;
  for (std::size_t i = 0; i < node.count(); ++i) {
    const Value& value = node.value(i);
    if (!is_size_like(value) || is_scalar(value) || value.type != node.type()) return std::nullopt;
    for (const Size& size : node.elements(i)) made.push_back(size);
    within("the number of sizes", static_cast<std::int64_t>(made.size()), 0, most_sizes);
  }
  return Outputs{Value::of_sizes(made)};
}

std::optional<Outputs> sliced_sizes(const NodeContext& node) {
  if (is_scalar(node.value(0)) || (has_axes(node, 3) && !are_first(node, 3))) return std::nullopt;
  for (std::size_t i = 1; i < node.count(); ++i)
    if (node.has(i) && !node.is_known(i)) return std::nullopt;
  const auto starts = node.integers_or_input("starts", 1), ends = node.integers_or_input("ends", 2);
  const auto steps = node.has(4) ? node.ints(4) : std::vector<std::int64_t>{1};
  if (!starts || !ends || steps != std::vector<std::int64_t>{1}) return std::nullopt;
  need_count("its input 'starts'", starts->size(), 1);
  need_count("its input 'ends'", ends->size(), 1);
  const std::vector<Size> from = node.elements(0);
  const auto count = static_cast<std::int64_t>(from.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count);
  };
  std::vector<Size> made;
  for (std::int64_t i = place(starts->front()); i < place(ends->front()); ++i)
    made.push_back(from[static_cast<std::size_t>(i)]);
  return Outputs{Value::of_sizes(made)};
}

// The sum or the product of a vector.
std::optional<Outputs> reduced_sizes(const NodeContext& node, SizeFunction function) {
  const bool is_whole = !has_axes(node, 1) && !node.flag("noop_with_empty_axes");
  if (rank_of(node.value(0)) != 1 || (!is_whole && !are_first(node, 1))) return std::nullopt;
  const std::vector<Size> sizes = node.elements(0);
  Size made = sizes.front();
  for (std::size_t i = 1; i < sizes.size(); ++i) made = function(made, sizes[i]);
  return Outputs{Value::of_sizes({made}, !node.flag("keepdims", true))};
}

Value cast_sizes(Value value, ElementType type) {
  value.type = type;
  if (value.known) value.known = value.known->to(*held_dtype(type));
  return value;
}

bool has_sizes(const NodeContext& node) {
  return std::any_of(node.values().begin(), node.values().end(),
                     [](const Value& value) { return value.sizes.has_value(); });
}

// Numbers whose sums, products and quotients are the same for sizes and for elements.
bool are_small(const NodeContext& node) {
  const auto is_small = [](std::int64_t size) { return size >= 1 && size < (1 << 30); };
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (!is_few_sizes(node.value(i)) || node.value(i).type != ElementType::int64) return false;
    const std::vector<std::int64_t> sizes = node.ints(i);
    if (!std::all_of(sizes.begin(), sizes.end(), is_small)) return false;
  }
  return true;
}

std::optional<Outputs> from_sizes(const NodeContext& node) {
  if (!node.has(0) || !node.node().domain.empty()) return std::nullopt;
  const std::string& op = node.node().op;
  const Value& value = node.value(0);
  const bool is_open = has_sizes(node);
  if (!is_open && !is_few_numbers(node)) return std::nullopt;
  // Also for known numbers: `fold` would compose and run a model for each node.
  if (const SizeFunction function = arithmetic_of(op))
    return is_open || are_small(node) ? elementwise_sizes(node, function) : std::nullopt;
  if (op == "Div") return is_open || are_small(node) ? quotients(node) : std::nullopt;
  if (op == "Concat") return joined_sizes(node);
  if (is_few_sizes(value)) {
    if (op == "Gather") return gathered_sizes(node);
    if (op == "Slice") return sliced_sizes(node);
    if (op == "Unsqueeze" && is_scalar(value) && are_first(node, 1))
      return Outputs{Value::of_sizes(node.elements(0))};
    const bool squeezes = !has_axes(node, 1) || are_first(node, 1);
    if (op == "Squeeze" && !is_scalar(value) && node.elements(0).size() == 1 && squeezes)
      return Outputs{Value::of_sizes(node.elements(0), true)};
  }
  if (!is_open) return std::nullopt;
  if (op == "Equal") return compared_sizes(node);
  if (op == "Where") return chosen_sizes(node);
  if (op == "Identity") return Outputs{value};
  if (op == "Max" || op == "Min") return extreme_sizes(node, op == "Max");
  if (op == "Mod") return remainders(node);
  if (!value.sizes) return std::nullopt;
  if (op == "Neg") return negated_sizes(value);
  if (op == "ReduceSum") return reduced_sizes(node, plus);
  if (op == "ReduceProd") return reduced_sizes(node, times);
  return std::nullopt;
}

bool has_negative(const NodeContext& node, std::size_t i) {
  const std::vector<Size> sizes = node.elements(i);
  return std::any_of(sizes.begin(), sizes.end(), is_negative);
}

bool negates(const NodeContext& node) {
  const std::string& op = node.node().op;
  return op == "Neg" || ((op == "ReduceSum" || op == "ReduceProd") && has_negative(node, 0));
}

bool makes_negative(const NodeContext& node) {
  const std::string& op = node.node().op;
  if (negates(node) || op == "Sub") return true;
  return (arithmetic_of(op) || op == "Div") && (has_negative(node, 0) || has_negative(node, 1));
}

}  // namespace

std::optional<Outputs> computed_sizes(const NodeContext& node) {
  const std::string& op = node.node().op;
  const bool is_like = op == "CastLike";
  if ((op == "Cast" || is_like) && node.node().domain.empty() && node.value(0).sizes) {
    const std::int64_t to = is_like ? static_cast<std::int64_t>(node.type(1)) : node.integer("to");
    const auto type = static_cast<ElementType>(to);
    if (!is_size_type(type) || static_cast<std::int64_t>(type) != to) return std::nullopt;
    return Outputs{cast_sizes(node.value(0), type)};
  }
  std::optional<Outputs> made = from_sizes(node);
  if (!made || made->front().type == ElementType::boolean) return made;
  const ElementType type = node.value(op == "Where" ? 1 : 0).type;
  if (is_size_type(type)) made->front() = cast_sizes(made->front(), type);
  if (!made->front().sizes) return made;
  made->front().may_be_negative = may_be_negative(node) || makes_negative(node);
  made->front().is_negated =
      negates(node) || std::any_of(node.values().begin(), node.values().end(),
                                   [](const Value& value) { return value.is_negated; });
  return made;
}

}  // namespace mithril::onnx
