// One change of a model: added parts and bound wires; all or nothing.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mithril/model/composite.hpp"
#include "mithril/model/connection.hpp"
#include "mithril/model/statements.hpp"

namespace mithril {

// ConnectionError E0146 if the binding is all outputs of a part with several ones, and the port,
// which holds one of `kinds`, takes one value.
void refuse_outputs(const Part& part, const std::string& port, Kinds kinds, const Binding& binding);

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
  Wire* wire_named(const std::string& name);
  // States the facts of an IOKey about a wire.
  void describe(Wire* wire, const IOKey& key);
  void join(Wire* outer, Wire* inner);  // one wire of two, checked for cycles
  // The same for two wires with labels, which errors show.
  void join_named(const Side& outer, const Side& inner);
  Facts& facts() { return facts_; }
  Composite& here() { return here_; }
  void commit();  // runs inference, and raises its errors
  // Commits as part of another change, which takes over the remaining work.
  void commit_within(Composition& outer);

 private:
  void add_op(const std::shared_ptr<Part>& part, const Bindings& bindings, bool chain);
  void add_composite(const std::shared_ptr<Composite>& part, const Bindings& given, bool chain);
  Wire* wire_of_list(const std::vector<Binding>& items);
  Wire* wire_of_value(const Datum& datum, bool note = true);
  void bind(Composite& part, const std::string& port, Wire* inner, const Binding& binding);
  // ConnectionError E0120 for a string that would name a new key for a value which the part has: it
  // was probably meant as another value.
  void refuse_text_at_value(const Part& part, const std::string& port, const Binding& binding,
                            const Datum* value) const;
  void absorb(const std::shared_ptr<Composite>& expression);
  void take_keys(Composite& from);
  void take_extras(Composite& from);
  void take_canonical(const std::vector<CanonicalPort>& inputs,
                      const std::vector<CanonicalPort>& outputs);
  // The wire that a part is chained to; null: there is none yet. `candidates`: the number of inputs
  // of the part that could be chained; `names`: their names, for a message.
  Wire* chain_source(const Part& part, size_t candidates,
                     const std::function<std::vector<std::string>()>& names) const;
  void refuse_cycle(Part* driver) const;
  // Joins a port of a part that is being added: only connections from its outputs back to its
  // inputs can close a cycle. An error shows the facts of both sides of the port.
  void join_port(Wire* outer, Wire* inner, std::string_view port);

  Composite& here_;
  Facts& facts_;
  Attempt attempt_;
  const Part* added_ = nullptr;  // last
  const Part* bound_ = nullptr;  // the part whose ports are being bound
  bool fed_back_ = false;
  std::vector<std::shared_ptr<Composite>> adopted_;  // whose facts become ours at commit
};

// NameError E0604 with the nearest names if the part does not have a bound port; ConnectionError
// E0112 if a port is bound twice.
void check_ports(Part& part, const Bindings& bindings);
}  // namespace mithril
