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
  if (op == "DequantizeLinear")
    return node.is_known(0) && node.is_known(1) && (!node.has(2) || node.is_known(2));
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

constexpr std::int64_t elements_at_once = 1 << 20;

Tensor rows_of(const Tensor& x, std::int64_t begin, std::int64_t end) {
  Dims dims = x.dims();
  const auto row = static_cast<std::int64_t>(x.bytes()) / dims[0];
  dims[0] = end - begin;
  Tensor made = Tensor::empty(x.dtype(), dims);
  std::copy_n(static_cast<const std::byte*>(x.raw_data()) + begin * row, (end - begin) * row,
              static_cast<std::byte*>(made.mutable_raw_data()));
  return made;
}

// How many rows of the input share a row of the scales, or of the zero points; 0 if all do.
// Nothing if they do not fit.
std::optional<std::int64_t> rows_per_scale(const NodeContext& node, std::size_t i) {
  const Dims &dims = node.value(0).known.dims(), &own = node.value(i).known.dims();
  const std::int64_t block = node.integer("block_size", 0), axis = node.integer("axis", 1);
  if (node.value(i).known.size() == 1 && block == 0) return 0;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const bool is_first = axis == 0 || axis == -rank;
  if (block == 0 && own.size() == 1 && !is_first) return 0;
  const std::int64_t rows = block != 0 && is_first ? block : 1;
  if (own.empty() || (block != 0 && own.size() != dims.size()) || rows < 1) return std::nullopt;
  return own[0] == (dims[0] + rows - 1) / rows ? std::optional(rows) : std::nullopt;
}

}  // namespace

std::optional<Outputs> fold_weights(const OpRow& row, const NodeContext& node,
                                    const FileRecord& file, FoldRoom& room) {
  const KnownTensor& whole = node.value(0).known;
  const Dims& dims = whole.dims();
  if (whole.size() <= elements_at_once) return fold(row, node, file, room);
  std::int64_t step = std::max<std::int64_t>(1, elements_at_once / (whole.size() / dims[0]));
  std::vector<std::int64_t> shared;  // of each input after the first
  for (std::size_t i = 1; i < node.count(); ++i) {
    const auto rows = node.has(i) ? rows_per_scale(node, i) : std::optional<std::int64_t>(0);
    if (!rows) return fold(row, node, file, room);
    shared.push_back(*rows);
    if (*rows > 1) step = (step + *rows - 1) / *rows * *rows;
  }
  const ElementType type = element_type(node, "output_dtype", node.type(1));
  const auto dtype = held_dtype(type);
  if (!dtype) return fold(row, node, file, room);
  Tensor made = Tensor::empty(*dtype, dims);
  if (!room.take({.bytes = static_cast<double>(made.bytes())})) return std::nullopt;
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  for (std::int64_t begin = 0; begin < dims[0]; begin += step) {
    const std::int64_t end = std::min(dims[0], begin + step);
    std::vector<Value> inputs = node.values();
    inputs[0].known = rows_of(*whole, begin, end);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const std::int64_t rows = shared[i - 1];
      if (rows == 0) continue;
      inputs[i].known = rows_of(*inputs[i].known, begin / rows, (end + rows - 1) / rows);
    }
    FoldRoom enough{std::numeric_limits<std::int64_t>::max(), 0};
    const Outputs part = *fold(row, node.with_inputs(std::move(inputs)), file, enough);
    const Tensor& rows = *part.front().known;
    to = std::copy_n(static_cast<const std::byte*>(rows.raw_data()), rows.bytes(), to);
  }
  return Outputs{Value(std::move(made), type)};
}

}  // namespace mithril::onnx
