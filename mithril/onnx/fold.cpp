#include "mithril/onnx/fold.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "mithril/base/text.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/parts.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril::onnx {

bool is_foldable(const NodeContext& node) {
  const std::string& op = node.node().op;
  // Of the second input only the type is read.
  if (op == "CastLike") return node.value(0).known && !node.value(0).is_weight;
  // Scales of quantised weights are not parameters: the weights are.
  if (op == "DequantizeLinear") return node.is_known(0) && node.is_known(1);
  return std::all_of(node.values().begin(), node.values().end(), [](const Value& value) {
    return value.known ? !value.is_weight : value.type == ElementType::undefined;
  });
}

namespace {

// The first elements along an axis.
Tensor first_of(const Tensor& x, std::int64_t axis, std::int64_t count) {
  Dims dims = x.dims();
  auto inner = static_cast<std::int64_t>(size_of(x.dtype()));
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < dims.size(); ++i) inner *= dims[i];
  const std::int64_t size = dims[static_cast<std::size_t>(axis)];
  dims[static_cast<std::size_t>(axis)] = count;
  Tensor made = Tensor::empty(x.dtype(), dims);
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  const auto bytes = static_cast<std::int64_t>(x.bytes());
  const std::int64_t rows = bytes == 0 ? 0 : bytes / (size * inner);
  for (std::int64_t row = 0; row < rows; ++row)
    std::copy_n(from + row * size * inner, count * inner, to + row * count * inner);
  return made;
}

}  // namespace

std::optional<Outputs> fold(const OpRow& row, const NodeContext& node, const FileRecord& file,
                            FoldRoom& room) {
  // Floats keep their widths, whatever the backend will be.
  const bool has_doubles =
      std::any_of(node.values().begin(), node.values().end(),
                  [](const Value& value) { return value.type == ElementType::float64; });
  Workspace scratch(has_doubles ? ElementType::float64 : ElementType::float32, true);
  const NodeContext context(scratch, file, node.node(), node.values(), node.opset());
  Outputs outputs = row.rule(context);
  std::vector<std::pair<std::string, Connection>> open;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type == ElementType::undefined) outputs[i].type = context.type();
    if (outputs[i].known) {
      const std::int64_t bytes = outputs[i].known.bytes();
      if (!room.take({.bytes = static_cast<double>(bytes)}))
        refuse("it makes " + memory_text(static_cast<double>(bytes)) +
               " of constants, which the file does not warrant");
      continue;
    }
    open.emplace_back("output_" + std::to_string(i),
                      apply("buffer", {scratch.connection(outputs[i])}));
    if (outputs[i].count)
      open.emplace_back("count_" + std::to_string(i), apply("buffer", {*outputs[i].count}));
  }
  if (open.empty()) return outputs;
  const Graph graph =
      expand_ops(flatten(Model::create(open), *held_dtype(scratch.default_float())).graph);
  // Training needs the weights, so only the results of dequantising them count.
  const bool is_weight = node.node().op == "DequantizeLinear";
  if (!room.take(is_weight ? work_of_outputs(graph) : work_of(graph))) return std::nullopt;
  const std::vector<Tensor> results = Interpreter(graph).run({});
  std::size_t next = 0;
  for (Value& output : outputs) {
    if (output.known) continue;
    const auto dtype = held_dtype(output.type);
    if (!dtype) refuse("Mithril has no tensors of " + name_of(output.type));
    const Tensor& result = results[next++];
    Tensor known = result.dtype() == *dtype ? result : result.to(*dtype);
    if (output.count) {
      const auto count = static_cast<std::int64_t>(results[next++].at_as_double(0));
      known = first_of(known, output.count_axis, count);
      output.count.reset();
    }
    output.known = std::move(known);
    output.connection.reset();
    output.sizes.reset();
  }
  return outputs;
}

namespace {

Size over(const Size& a, const Size& b) {
  const auto *left = std::get_if<std::int64_t>(&a), *right = std::get_if<std::int64_t>(&b);
  if (right && *right == 0) refuse("it divides a size by 0");
  if (left && right && *right == -1 && *left == std::numeric_limits<std::int64_t>::min())
    refuse("the quotient of its sizes is too large");
  if (left && right) return *left / *right;
  if (right && *right < 0) refuse("it divides a size by a negative number");
  return apply("floor_divide", {binding_of(a), binding_of(b)});  // of a size, which is not negative
}

constexpr std::int64_t most_sizes = 4096;  // in one vector

using SizeFunction = Size (*)(const Size&, const Size&);

SizeFunction arithmetic_of(const std::string& op) {
  if (op == "Add") return plus;
  if (op == "Sub") return minus;
  if (op == "Mul") return times;
  if (op == "Div") return over;
  return nullptr;
}

// The types of sizes in ONNX files.
bool is_size_type(ElementType type) {
  return type == ElementType::int64 || type == ElementType::int32;
}

// Whether the input holds sizes, or known integers, of which there are as few as axes.
bool is_few_sizes(const Value& value) {
  if (value.sizes) return true;
  return value.known && is_size_type(value.type) && value.known.rank() <= 1 &&
         value.known.size() <= static_cast<std::int64_t>(most_axes);
}

// Whether all inputs are few known numbers. Some may be left out.
bool is_few_numbers(const NodeContext& node) {
  return node.count() <= most_axes &&
         std::all_of(node.values().begin(), node.values().end(), [](const Value& value) {
           return value.type == ElementType::undefined || is_few_sizes(value);
         });
}

// Whether the input is sizes, or a known vector or scalar of ints.
bool is_size_like(const Value& value) {
  if (value.sizes) return true;
  return value.known && is_int(value.type) && value.known.rank() <= 1;
}

bool is_scalar(const Value& value) {
  return value.sizes ? value.is_scalar : value.known.rank() == 0;
}

std::optional<Outputs> elementwise_sizes(const NodeContext& node, SizeFunction function) {
  if (!is_size_like(node.value(0)) || !is_size_like(node.value(1))) return std::nullopt;
  if (node.type(0) != node.type(1)) return std::nullopt;
  const std::vector<Size> a = node.elements(0), b = node.elements(1);
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return std::nullopt;
  std::vector<Size> made;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    made.push_back(function(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
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
  if (!value.sizes) return std::nullopt;
  if (op == "Reshape" && node.is_known(1) && node.known(1).size() == 1) {
    const std::int64_t wanted = node.ints(1).front();
    if (wanted != -1 && wanted != static_cast<std::int64_t>(value.sizes->size()))
      return std::nullopt;
    return Outputs{Value::of_sizes(*value.sizes)};
  }
  return std::nullopt;
}

bool makes_negative(const NodeContext& node) {
  if (!arithmetic_of(node.node().op)) return false;
  const auto is_negative = [](const Size& size) {
    const auto* number = std::get_if<std::int64_t>(&size);
    return number && *number < 0;
  };
  const std::vector<Size> a = node.elements(0), b = node.elements(1);
  return node.node().op == "Sub" || std::any_of(a.begin(), a.end(), is_negative) ||
         std::any_of(b.begin(), b.end(), is_negative);
}

}  // namespace

std::optional<Outputs> computed_sizes(const NodeContext& node) {
  const std::string& op = node.node().op;
  if (op == "Cast" && node.node().domain.empty() && node.value(0).sizes) {
    const std::int64_t to = node.integer("to");
    const auto type = static_cast<ElementType>(to);
    if (!is_size_type(type) || static_cast<std::int64_t>(type) != to) return std::nullopt;
    return Outputs{cast_sizes(node.value(0), type)};
  }
  std::optional<Outputs> made = from_sizes(node);
  if (!made || made->front().type == ElementType::boolean) return made;
  const ElementType type = node.value(op == "Where" ? 1 : 0).type;
  if (is_size_type(type)) made->front() = cast_sizes(made->front(), type);
  if (made->front().sizes)
    made->front().may_be_negative = may_be_negative(node) || makes_negative(node);
  return made;
}

}  // namespace mithril::onnx
