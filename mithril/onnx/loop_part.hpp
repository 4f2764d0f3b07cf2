// The body of a loop of ONNX as the part of a loop of a model.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mithril/models/scan.hpp"
#include "mithril/models/while.hpp"
#include "mithril/onnx/graph_node.hpp"

namespace mithril::onnx {

class LoopPart {
 public:
  LoopPart(const GraphNode& at, const GraphRecord& body);

  // Inputs of the body.
  void add_known(const ValueRecord& input, Value value);
  // `next`: the output with the value of the next step.
  void add_carry(const ValueRecord& input, const ValueRecord& next, const Value& initial);
  // The steps are along the first axis.
  void add_sequence(const ValueRecord& input, const Connection& sequence, ElementType type);
  // A counter of the steps that have been done; a carry.
  Connection add_counter(const ValueRecord& input);
  // A carry that ends the loop once it is false.
  void add_flag(const ValueRecord& next, const Connection& initial);

  // Imports the nodes of the body that make this output.
  Value output(const ValueRecord& output);

  // The outputs of the loop: the last carries of `add_carry`, and stacks of these outputs. Nothing
  // if a node of the body is refused; its problem has been noted.
  std::optional<Outputs> scanned(const std::vector<const ValueRecord*>& stacks,
                                 const std::optional<Size>& length, bool is_reversed);
  // The last carries after steps while the flag is true and the counter below `trips`.
  std::optional<Outputs> repeated(const std::optional<Value>& trips,
                                  std::optional<std::int64_t> most_steps);

 private:
  struct Carry {
    std::string key, next_key;
    const ValueRecord* next;  // null for the counter
    ElementType type;
  };
  // Adds the next values of the carries to the outputs of the body.
  void finish_carries();
  // Exposes the outputs of the body. Refused if a step changes the sizes of a carry.
  void finish_body();
  void add_output(const std::string& key, const ValueRecord& output, ElementType type);
  // The outputs of the loop, by their keys. They keep the model that they are in alive: constants
  // alone are in none.
  std::map<std::string, Connection> applied(const Model& loop) const;
  Outputs lasts(const std::map<std::string, Connection>& loop) const;

  const GraphNode& at_;
  PartInputs inputs_;
  Workspace inside_;
  Scope scope_;
  std::vector<Carry> carries_;
  std::vector<std::string> sequences_;
  std::string counter_, flag_;
  Bindings bindings_;
  std::vector<std::pair<std::string, Connection>> made_;
  bool is_missing_ = false;
};

}  // namespace mithril::onnx
