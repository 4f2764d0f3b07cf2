// One change of a model: parts added, wires bound; everything or nothing.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mithril/model/composite.hpp"

namespace mithril {

// A wire in an error, and where it is: {"bound to", wire, "on x"}.
struct Side {
  std::string label;
  Wire* wire;
  std::string place = {};
};

class Composition {
 public:
  explicit Composition(Composite& here);

  void add(const std::shared_ptr<Part>& part, const Bindings& bindings, bool chain);
  // Adds a part of an op with these wires, one per slot (null: left out); `counts`: its list sizes.
  void place_op(const std::shared_ptr<Part>& part, const std::vector<int>& counts,
                const std::vector<Wire*>& wires);
  // Adds a model and joins pairs of wires: {outer, inner}.
  void place_model(const std::shared_ptr<Composite>& part,
                   const std::vector<std::pair<Wire*, Wire*>>& joined);
  // The wire that a binding means here: a key's, a connection's, or a new one that holds the value.
  Wire* wire_for(const Binding& binding);
  // States what an IOKey says about a wire.
  void describe(Wire* wire, const IOKey& key);
  void declare(Wire* wire, bool differentiable);  // TypeError E0303 for what is no float tensor
  void join(Wire* outer, Wire* inner);            // one wire of two, checked for cycles
  // The same of two that the user calls by their labels, which an error tells.
  void join_named(const Side& outer, const Side& inner);
  void set_tensor(Wire* wire, const Tensor& tensor);
  void set_value(Wire* wire, const Datum& datum);
  Facts& facts() { return facts_; }
  Composite& here() { return here_; }
  void commit();  // runs inference; what it finds wrong is raised here
  // As part of another change, which takes over what has to be done in the end.
  void commit_within(Composition& outer);

 private:
  void add_op(const std::shared_ptr<Part>& part, const Bindings& bindings, bool chain);
  void add_composite(const std::shared_ptr<Composite>& part, const Bindings& given, bool chain);
  Wire* wire_of_list(const std::vector<Binding>& items);
  Wire* wire_of_value(const Datum& datum, bool note = true);
  void bind(Composite& part, const std::string& port, Wire* inner, const Binding& binding);
  void absorb(const std::shared_ptr<Composite>& expression);
  void take_keys(Composite& from);
  void take_extras(Composite& from);
  void take_canonical(const std::vector<CanonicalPort>& inputs,
                      const std::vector<CanonicalPort>& outputs);
  // The wire that a part is chained to; null: there is none yet. `candidates`: how many inputs of
  // the part could be; `names` are theirs, for a message.
  Wire* chain_source(const Part& part, size_t candidates,
                     const std::function<std::vector<std::string>()>& names) const;
  void refuse_cycle(Part* driver) const;
  // As join, of a port of a part that is being added: only what an output of it feeds back can
  // close a cycle. An error tells what is known on both sides of the port.
  void join_port(Wire* outer, Wire* inner, std::string_view port);

  Composite& here_;
  Facts& facts_;
  Attempt attempt_;
  const Part* added_ = nullptr;  // last
  bool fed_back_ = false;
  std::vector<std::shared_ptr<Composite>> adopted_;  // whose facts become ours at commit
};

// NameError E0604 with the nearest where the part has no port that is bound; ConnectionError E0112
// where one is bound twice.
void check_ports(Part& part, const Bindings& bindings);
// The canonical outputs that nothing has read since.
std::vector<Wire*> open_outputs(const Composite& model);
// The canonical inputs that nothing drives and that hold no value.
std::vector<Wire*> open_inputs(const Composite& model);
// From now on they are canonical outputs of this part, whoever reads them. Undone with the Attempt.
void keep_open_outputs(Composite& part);
// The inputs of an op that are canonical.
std::vector<std::string> canonical_names(const OpDef& op);
// A key or a port by its path, or "output", the canonical output that nobody named; null: none.
Wire* find_port(Composite& model, std::string_view key);
// The same. NameError E0606 with the nearest.
Wire* wire_at(Composite& model, const std::string& key);
bool is_valued(const Wire* wire);  // holds a known value or a tensor literal

}  // namespace mithril
