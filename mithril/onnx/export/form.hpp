// Forms: how ops of models are written where one op of ONNX is not enough.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mithril/onnx/export/graph_builder.hpp"

namespace mithril::onnx {

// The value of an expression in a spelling: a number or another value, a tensor, or a list.
struct Item {
  std::variant<Datum, Operand, std::vector<Item>> held;

  bool is_none() const;
};

// The node that is written.
class FormContext {
 public:
  FormContext(GraphBuilder& builder, const Graph& graph, const Node& node,
              const std::vector<Operand>& operands);

  GraphBuilder& builder() const { return builder_; }
  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  const Value& output(std::size_t i = 0) const { return graph_.value(node_.outputs[i]); }
  const std::vector<Dim>& output_dims() const;  // NoForm if the rank is not known
  // Whether the node has such a port; its argument, converted as the op converts it.
  bool has_port(std::string_view port) const;
  Item argument(std::string_view port, bool is_converted = true) const;
  // The operand in the file of a value that an earlier node makes.
  const Operand& operand(ValueId id) const { return operands_[index(id)]; }
  // A tensor; a number becomes one of rank 0.
  Operand operand(const Item& item, DType dtype) const;

 private:
  Item item(std::size_t argument, bool is_converted) const;
  void choose_conversions();
  bool is_converted_port(std::size_t port) const;
  DType dtype_of_argument(std::size_t argument, DType beside) const;

  GraphBuilder& builder_;
  const Graph& graph_;
  const Node& node_;
  const std::vector<Operand>& operands_;
  std::vector<std::optional<DType>> converted_;  // by argument
};

// The arguments of a form.
class FormArguments {
 public:
  FormArguments(const FormContext& context, std::span<const Item> items)
      : context_(context), items_(items) {}

  bool is_none(std::size_t i) const { return items_[i].is_none(); }
  bool is_tensor(std::size_t i) const { return std::holds_alternative<Operand>(items_[i].held); }
  const Datum& value(std::size_t i) const;
  std::int64_t integer(std::size_t i) const { return value(i).integer(); }
  bool flag(std::size_t i) const { return value(i).flag(); }
  std::string text(std::size_t i) const { return value(i).text(); }
  std::vector<Dim> dims(std::size_t i) const;  // a shape
  Operand tensor(std::size_t i) const;         // missing for None
  Operand index(std::size_t i) const;          // a tensor of ints, or an int
  std::vector<Operand> tensors(std::size_t i) const;
  // Of a tensor with this number of axes: from an int, a tuple, or None, which means all.
  std::vector<std::int64_t> axes(std::size_t i, std::int64_t rank) const;
  std::int64_t axis(std::size_t i, std::int64_t rank) const;

 private:
  const FormContext& context_;
  std::span<const Item> items_;
};

using FormFunction = Item (*)(const FormContext&, const FormArguments&);

struct FormRow {
  std::string_view name;
  FormFunction form;
};
std::span<const FormRow> element_forms();
std::span<const FormRow> shape_forms();
std::span<const FormRow> reduction_forms();
std::span<const FormRow> gathering_forms();
std::span<const FormRow> window_forms();
std::span<const FormRow> matrix_forms();
std::span<const FormRow> norm_forms();
std::span<const FormRow> scan_forms();

// Writes a node as its record spells it. NoForm if that is not possible.
std::vector<Operand> spell_node(const FormContext& context);

}  // namespace mithril::onnx
