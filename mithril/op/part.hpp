// An op placed in a model or a graph: wires at its ports, and the variables of its patterns.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mithril/infer/facts.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp
struct PortDef;

// A wire connects ports, across levels of nesting (union-find). So flattening follows no chains,
// and exposing a port costs nothing.
struct Wire {
  Wire* parent = nullptr;
  uint64_t linked_at = 0;  // when it got its parent: see moment()
  StoredShape shape;
  Type* type = nullptr;
  DatumVariable* value = nullptr;  // made on first use: most wires carry tensors
  Part* driver = nullptr;          // the op that makes it
  const Part* home = nullptr;      // the outermost model that names it
  Note name;                       // its name there
  int32_t driver_slot = -1;
  int32_t weight = 1;
  int32_t uses = 0;                 // input slots of ops that read it
  int8_t differentiable = -1;       // -1: not stated; 0, 1
  std::optional<DType> dtype = {};  // stated: an exact dtype of the tensor
  bool constant = false;            // holds a tensor literal (side table of the root model)
};
inline Wire* top(Wire* wire) {
  while (wire->parent) wire = wire->parent;
  return wire;
}
// A counter over all models and threads. A model is frozen once it is a part: links of its wires
// from before that time belong to it, later ones to the models around it.
uint64_t moment();
inline Wire* top_before(Wire* wire, uint64_t end) {
  while (wire->parent && wire->linked_at < end) wire = wire->parent;
  return wire;
}

struct Part {
  Part* owner = nullptr;
  const OpDef* op = nullptr;  // null: a composite (model/composite.hpp)
  // The wires at its ports in their order, list ports spread out; null until the part is in a
  // model. A value port that was left out has no wire: it holds the port's default.
  Wire** slots = nullptr;
  uint32_t slot_count = 0, input_count = 0;
  uint32_t index = 0;   // 0: its name is its label; else label_index, to differ from its siblings
  Dim* dims = nullptr;  // the variables of its patterns

  Part() = default;
  Part(const Part&) = delete;
  virtual ~Part() = default;
  const std::string& given_name() const;  // by the user; empty: by its class
  void give_name(std::string name);
  // The part whose parameters and states it reads (model/share.hpp); null: it has its own.
  std::shared_ptr<Part> original() const { return original_ ? *original_ : nullptr; }
  void share_with(const std::shared_ptr<Part>& original) {
    original_ = std::make_unique<const std::shared_ptr<Part>>(original);
  }
  virtual std::string class_name() const;  // "Relu", "Linear"
  virtual std::string_view label() const;  // the name given to it, else its class in lower case
  virtual std::string name_of(
      const Part& child) const;  // "relu", or "relu_1" if an earlier sibling has that name
  std::span<Wire*> all_slots() const { return {slots, slot_count}; }
  std::span<Wire*> input_slots() const { return {slots, input_count}; }
  std::span<Wire*> output_slots() const { return {slots + input_count, slot_count - input_count}; }
  std::span<Wire*> slots_of(std::string_view port) const;  // none if there is no such port
  size_t port_of(size_t slot) const;                       // inputs, then outputs
  const PortDef& port_at(size_t slot) const;
  // The class's wire. A port that was left out gets its wire now.
  Wire* wire(Facts& facts, size_t slot) const;
  Wire* wire(Facts& facts, std::string_view port, int item = 0) const;
  const Datum* left_out(std::string_view port) const;  // its default; null: there is a wire
  int count(std::string_view port) const;              // wires at a list port

 private:
  size_t slots_at(size_t port) const;
  std::unique_ptr<const std::string> given_name_;          // most have none
  std::unique_ptr<const std::shared_ptr<Part>> original_;  // the same
};

std::string path(const Part* part);  // "encoder.block_2.fc1"; the root's own name is left out
std::string wire_name(
    Wire* wire);  // "encoder.block_2.fc1.weight"; empty: it has neither a name nor a driver

Wire* new_wire(Facts& facts);
DatumVariable* value_of(Facts& facts, Wire* wire);
// Makes one wire of two. `outer` is the one whose name wins. Two drivers: ConnectionError E0101
// naming both.
void unify_wires(Facts& facts, Wire* outer, Wire* inner);
// Gives a part of an op its slots: patterns, types, relations. wires[i] per slot, null: a new wire.
// counts: the sizes of its list ports, in port order. clear_slots undoes the changes of the part.
void instantiate(Facts& facts, Part& part, std::span<const int> counts,
                 std::span<Wire* const> wires);
void clear_slots(Part& part);
// "from encoder.fc1.weight", 'given by set_shapes({"w": [4, 5]})'; empty: it has no origin.
std::string origin_text(Origin origin);
// Adds origins, shapes on wires and the known pattern dims to an error.
void decorate_error(ErrorDetails& details, Origin at, Origin left, Origin right);

}  // namespace mithril
