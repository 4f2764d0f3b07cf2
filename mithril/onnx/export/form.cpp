#include "mithril/onnx/export/form.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril::onnx {

bool Item::is_none() const {
  const auto* datum = std::get_if<Datum>(&held);
  return datum && datum->is_none();
}

FormContext::FormContext(GraphBuilder& builder, const Graph& graph, const Node& node,
                         const std::vector<Operand>& operands)
    : builder_(builder),
      graph_(graph),
      node_(node),
      operands_(operands),
      converted_(node.arguments.size()) {
  choose_conversions();
}

const std::vector<Dim>& FormContext::output_dims() const {
  if (!output().ranked) no_form("the rank of the result is not known");
  return output().dims;
}

bool FormContext::has_port(std::string_view port) const {
  return std::any_of(node_.op->inputs.begin(), node_.op->inputs.end(),
                     [&](const PortDef& input) { return input.name == port; });
}

// ONNX has no operands of different types. Operands of a result that is not a bool are converted to
// its dtype, unless one of them has a higher kind (the index of the largest float is an int).
// Operands of comparisons are converted to the widest of them.
void FormContext::choose_conversions() {
  const DType made = output().dtype;
  DType widest = DType::boolean;
  std::vector<bool> is_operand(node_.arguments.size());
  for (std::size_t port = 0, at = 0; port < node_.op->inputs.size(); ++port) {
    const std::size_t count = node_.op->inputs[port].list ? node_.list_size() : 1;
    for (std::size_t n = count; n > 0; --n, ++at) {
      is_operand[at] = !node_.op->compiled.ports[port].value;
      if (is_operand[at]) widest = promote(widest, dtype_of_argument(at, widest));
      if (is_converted_port(port)) converted_[at] = made;
    }
  }
  if (tensor_kind(widest) <= tensor_kind(made)) return;
  const bool is_comparison = made == DType::boolean;
  for (std::size_t at = 0; at < converted_.size(); ++at) {
    converted_[at].reset();
    if (is_comparison && is_operand[at]) converted_[at] = widest;
  }
}

// A number has the dtype of the tensors beside it, unless it is of a higher kind.
DType FormContext::dtype_of_argument(std::size_t argument, DType beside) const {
  if (const ValueId* id = tensor_of(node_.arguments[argument])) return graph_.value(*id).dtype;
  const Kinds kind = std::get<Datum>(node_.arguments[argument]).kind();
  if (kind == kind::float_value && !is_floating(beside)) return graph_.default_dtype();
  return kind == kind::int_value && beside == DType::boolean ? DType::int64 : beside;
}

bool FormContext::is_converted_port(std::size_t port) const {
  const CompiledPorts& compiled = node_.op->compiled;
  const CompiledPorts::Port& pattern = compiled.ports[port];
  if (pattern.value) return false;
  const auto kinds = [&](int type) { return compiled.type_kinds[static_cast<std::size_t>(type)]; };
  Kinds admitted = pattern.kinds;
  if (pattern.left >= 0) admitted = kinds(pattern.left) | kinds(pattern.right);
  if (pattern.type >= 0) admitted = kinds(pattern.type);
  return (admitted & tensor_kind(output().dtype)) != 0;
}

Item FormContext::item(std::size_t argument, bool is_converted) const {
  const ValueId* id = tensor_of(node_.arguments[argument]);
  const auto& wanted = converted_[argument];
  if (id) {
    const Operand& operand = operands_[index(*id)];
    return {is_converted && wanted ? builder_.cast(operand, *wanted) : operand};
  }
  const Datum& datum = std::get<Datum>(node_.arguments[argument]);
  const bool is_number = datum.kind() & (kind::int_value | kind::float_value | kind::bool_value);
  if (is_converted && wanted && is_number) return {operand({datum}, *wanted)};
  return {datum};
}

Item FormContext::argument(std::string_view port, bool is_converted) const {
  std::size_t at = 0;
  for (const PortDef& input : node_.op->inputs) {
    const std::size_t count = input.list ? node_.list_size() : 1;
    if (input.name == port) {
      if (!input.list) return item(at, is_converted);
      std::vector<Item> items;
      for (std::size_t i = 0; i < count; ++i) items.push_back(item(at + i, is_converted));
      return {std::move(items)};
    }
    at += count;
  }
  MITHRIL_CHECK(false,
                "the ONNX spelling of " + node_.op->name + " names no port: " + std::string(port));
}

Operand FormContext::operand(const Item& item, DType dtype) const {
  if (const auto* operand = std::get_if<Operand>(&item.held)) return *operand;
  const auto* datum = std::get_if<Datum>(&item.held);
  MITHRIL_CHECK(datum, "a list is not an operand");
  if (datum->is_none()) return {};
  if (datum->kind() == kind::int_value) return builder_.number(datum->dim(), dtype);
  if (datum->kind() == kind::tuple) {
    std::vector<Dim> dims;
    for (const Datum& size : datum->tuple()) dims.push_back(size.dim());
    return builder_.shape(dims);
  }
  return builder_.number(datum->real(), dtype);
}

const Datum& FormArguments::value(std::size_t i) const {
  const auto* datum = std::get_if<Datum>(&items_[i].held);
  MITHRIL_CHECK(datum,
                "an argument of the ONNX form of " + context_.node().op->name + " is not a value");
  return *datum;
}

std::vector<Dim> FormArguments::dims(std::size_t i) const {
  std::vector<Dim> dims;
  for (const Datum& size : items_of(value(i))) dims.push_back(size.dim());
  return dims;
}

Operand FormArguments::tensor(std::size_t i) const {
  return context_.operand(items_[i], context_.output().dtype);
}

Operand FormArguments::index(std::size_t i) const {
  return context_.operand(items_[i], DType::int64);
}

std::vector<Operand> FormArguments::tensors(std::size_t i) const {
  std::vector<Operand> made;
  for (const Item& item : std::get<std::vector<Item>>(items_[i].held))
    made.push_back(context_.operand(item, context_.output().dtype));
  return made;
}

std::int64_t FormArguments::axis(std::size_t i, std::int64_t rank) const {
  const std::int64_t axis = integer(i);
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> FormArguments::axes(std::size_t i, std::int64_t rank) const {
  std::vector<std::int64_t> axes;
  if (rank == 0) return axes;  // a number has an axis 0 of one element
  if (is_none(i)) {
    for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    return axes;
  }
  for (const Datum& item : items_of(value(i))) {
    const std::int64_t axis = item.integer();
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace mithril::onnx
