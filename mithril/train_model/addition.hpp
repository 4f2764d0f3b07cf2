// A change of a training model: a loss, a metric or a regulariser. It succeeds or has no effect.
#pragma once
#include <string>
#include <vector>

#include "mithril/train_model/training.hpp"

namespace mithril {

// NameError E0607 if a model already has a key final_cost.
void refuse_taken_cost(const Bindings& bindings);

class Addition {
 public:
  explicit Addition(Composite& model);

  // ConnectionError E0113 if an input of the part is not bound and has no value.
  void require_all_ports(Part& part, const Bindings& ports) const;
  [[noreturn]] void refuse_owned(const Part& part) const;

  // The part, its reduce steps and its coefficient; fills in the ports and the output. `call` is
  // for errors. ConnectionError E0114 if none of its ports is bound to an output of the model.
  void add(Objective& objective, const Bindings& ports, const char* call);
  // Adds a term. NameError E0606 if its key does not exist.
  void add(Penalty& penalty, const PartPointer& part, const Bindings& ports);
  // Names that are given become outputs; empty ones do not.
  void commit(const std::vector<std::string>& outputs);

 private:
  // A name that is there already is that connection: a key, or a port by its path.
  Bindings resolved(const Bindings& ports) const;
  void require_output_of_model(const Part& part, const Bindings& ports, const char* call) const;
  void give_name(const std::string& name, Wire* wire);

  Composite& model_;
  Composition composition_;
  size_t keys_;  // before it
  std::vector<CanonicalPort> inputs_, outputs_;
};

}  // namespace mithril
