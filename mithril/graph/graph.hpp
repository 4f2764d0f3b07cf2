// The flat program of a model: values named by the path of the port that made them, nodes in
// topological order.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/infer/facts.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp

enum class ValueId : int32_t {};
enum class NodeId : int32_t {};
inline size_t index(ValueId id) { return static_cast<size_t>(id); }
inline size_t index(NodeId id) { return static_cast<size_t>(id); }

struct Value {
  std::string name;  // "encoder.fc1.output": never changes with compile options
  std::vector<Dim> dims;
  bool ranked = true;  // false: the rank is not known, dims is empty
  DType dtype = DType::float32;
};

// An argument of a node: a tensor of the graph, or a value (None for an optional port left out).
using Argument = std::variant<ValueId, Datum>;
inline const ValueId* tensor_of(const Argument& argument) {
  return std::get_if<ValueId>(&argument);
}

struct Node {
  const OpDef* op = nullptr;
  std::vector<Argument> arguments;  // one per input port, a list port spread out
  std::vector<ValueId> outputs;
  // Index of an input port's first argument.
  size_t argument_index(std::string_view port) const;
  size_t list_size() const;  // arguments at the list port
};

struct Output {
  std::string name;
  ValueId value;
};
struct Constant {
  ValueId value;
  Tensor tensor;
};

// An arena of indices: no pointers between values and nodes, so that a graph can be copied,
// compared and printed.
class Graph {
 public:
  Graph();

  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<Constant>& constants() const { return constants_; }
  const Value& value(ValueId id) const { return values_[index(id)]; }
  const Node& node(NodeId id) const { return nodes_[index(id)]; }
  DType default_dtype() const { return default_dtype_; }  // the default dtype of floats
  void set_default_dtype(DType dtype) { default_dtype_ = dtype; }

  void reserve(size_t values, size_t nodes);  // room for as many in all
  ValueId add_input(Value value);
  ValueId add_constant(std::string name, Tensor tensor);
  void add_output(std::string name, ValueId value);
  void keep_outputs(size_t count);  // the first; the others go
  // A node whose outputs are known already (flatten, parse, passes that copy).
  void add_node(Node node);
  ValueId add_value(Value value);
  // A node whose outputs are inferred with the op's own patterns and `solve`, as in a model.
  // Omitted trailing arguments have the ports' defaults. Several outputs get "_0", "_1" after the
  // name.
  std::vector<ValueId> add(const OpDef& op, std::vector<Argument> arguments, std::string name);

  // Puts another name or other dims in the place of a value's; its maker has to agree (verify).
  void restate(ValueId id, Value value);
  // Takes out nodes and constants that no output depends on. Inputs stay: they are the signature.
  // Ids change.
  void drop_unread();
  // Takes out all but the first values and nodes. Nothing that stays may read what goes.
  void truncate(size_t values, size_t nodes);

  // Linear search. NameError E0601 with the nearest names.
  ValueId id_of(std::string_view name) const;

  // The table of symbols that dims refer to. Flatten renames a model's symbols into it, so passes
  // cannot change a model. Shared (shared_ptr) by copies of the graph and by the results of passes:
  // facts are only ever added.
  const std::shared_ptr<Facts>& facts() const { return facts_; }
  void share_facts(const Graph& other) { facts_ = other.facts_; }

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<Output> outputs_;
  std::vector<Constant> constants_;
  DType default_dtype_ = DType::float32;
  std::shared_ptr<Facts> facts_;
};

// The dtype of a node's output at this port (an index into OpDef::outputs), of these kinds: see
// OpDef::dtype_from. The node's arguments are in the graph.
DType output_dtype(const Graph& graph, const Node& node, Kinds kinds, size_t port = 0);
// The outputs of a node, without names: inferred with the op's patterns and `solve`, as in a model.
// Does not read the node's outputs.
std::vector<Value> infer_node(const Graph& graph, const Node& node);

// Equal up to the names of symbols: same inputs, nodes, values, constants and outputs in the same
// order.
bool operator==(const Graph& a, const Graph& b);

// The text form, one line per input, constant and node; parse_graph reads it back. See
// docs/graph-text.md.
std::string to_string(const Graph& graph);
Graph parse_graph(std::string_view text);  // ParseError with line and column

// Checks the invariants of graphs: ids in range, each value made once and before its use, arguments
// fit the op's ports, names unique, inferred dims and dtypes agree with the stated ones.
// InternalError naming node and rule.
void verify(const Graph& graph);

}  // namespace mithril
