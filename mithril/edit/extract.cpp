// The part of a model between values.
#include <algorithm>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/edit.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/part_view.hpp"

namespace mithril {
namespace {

using Wires = std::vector<Wire*>;

Wire* wire_of(const Model& model, const std::string& path) {
  const Located found = located(model, path);
  const Connection value =
      found.part && found.port.empty() ? part_at(model, path).model().cout() : model.at(path);
  return top(value.wire());
}

Wires wires_of(const Model& model, const EditableModel::Values& values) {
  Wires wires;
  for (const auto& [name, path] : values) wires.push_back(wire_of(model, path));
  return wires;
}

// The ops that compute the outputs from the inputs, and the next values of the states they read.
std::unordered_set<const Part*> needed_ops(const Composite& root, const Wires& inputs,
                                           const Wires& outputs) {
  std::unordered_set<const Part*> ops;
  std::unordered_set<const Wire*> seen(inputs.begin(), inputs.end());
  Wires open = outputs;
  while (!open.empty()) {
    Wire* wire = top(open.back());
    open.pop_back();
    if (!seen.insert(wire).second) continue;
    if (root.extras) {
      for (const StatePair& state : root.extras->states) {
        if (top(state.input) == wire) open.push_back(state.output);
      }
    }
    if (!wire->driver || !ops.insert(wire->driver).second) continue;
    for (Wire* slot : wire->driver->input_slots()) {
      if (slot) open.push_back(slot);
    }
  }
  return ops;
}

class Extraction {
 public:
  Extraction(const Model& model, std::unordered_set<const Part*> needed)
      : model_(model), needed_(std::move(needed)) {}

  // A model of the library of which only some ops are needed; null: there is none.
  const Composite* partly_needed() const {
    for (const PartView& part : walk(model_)) {
      const Part* inner = part.model().part().get();
      if (inner->op || !static_cast<const Composite*>(inner)->recipe) continue;
      const auto* composite = static_cast<const Composite*>(inner);
      const std::vector<Part*> ops = all_op_parts(*composite);
      const auto count = std::count_if(ops.begin(), ops.end(),
                                       [&](const Part* op) { return needed_.contains(op); });
      if (count > 0 && count < static_cast<std::ptrdiff_t>(ops.size())) return composite;
    }
    return nullptr;
  }

  // The form of a model that its user composed, with only what is needed.
  LevelForm pruned(Composite& model) {
    LevelForm form(model, functions_);
    for (const auto& child : model.parts) {
      const std::string id = model.name_of(*child);
      if (!is_needed(*child)) {
        form.drop_ends(id);
        form.parts.erase(form.parts.begin() + static_cast<std::ptrdiff_t>(form.place_of(id)));
      } else if (!child->op && !static_cast<const Composite&>(*child).recipe) {
        prune_child(form, static_cast<Composite&>(*child));
      }
    }
    return form;
  }

  const Functions& functions() const { return functions_; }

 private:
  bool is_needed(const Part& part) const {
    if (part.op) return needed_.contains(&part);
    const std::vector<Part*> ops = all_op_parts(static_cast<const Composite&>(part));
    return std::any_of(ops.begin(), ops.end(),
                       [&](const Part* op) { return needed_.contains(op); });
  }

  void prune_child(LevelForm& form, Composite& child) {
    LevelForm inner = pruned(child);
    const std::string id = form.model.name_of(child);
    form.part(id).json = inner.json();
    for (FormNet& net : form.nets) {
      std::erase_if(net.ends, [&](FormEnd& end) {
        if (end.id != id) return false;
        const auto at = inner.net_of(end.wire);
        if (!at || inner.nets[*at].is_gone()) return true;
        end.port = inner.nets[*at].name();
        return false;
      });
      if (net.giver.starts_with(id + ".")) net.giver.clear();
      if (net.ends.empty()) net.keys.clear();
    }
  }

  const Model& model_;
  const std::unordered_set<const Part*> needed_;
  Functions functions_;
};

// Checks that the new model has the inputs and outputs that were asked for.
void check_asked(const Model& made, const EditableModel::Values& inputs,
                 const EditableModel::Values& outputs) {
  const std::vector<std::string> has_inputs = made.input_keys(), has_outputs = made.output_keys();
  const std::vector<NamedPort> ports = input_ports(*made.composite(), true);
  const auto check = [&](const EditableModel::Values& asked, bool as_input) {
    const std::vector<std::string>& has = as_input ? has_inputs : has_outputs;
    for (const auto& [name, path] : asked) {
      if (std::find(has.begin(), has.end(), name) != has.end()) continue;
      const std::string key = name;
      const bool is_input = std::any_of(ports.begin(), ports.end(),
                                        [&](const NamedPort& port) { return port.name == key; });
      const char* why = !as_input ? "it is an input, or a state"
                        : is_input
                            ? "it is a state"
                            : "a part that the outputs need for another value computes it, too";
      refuse_edit(
          path, in_quotes(key) + " would not be an " + (as_input ? "input" : "output") + ": " + why,
          {{"inputs", join(has_inputs, ", "), "of the extracted model"},
           {"outputs", join(has_outputs, ", "), "of the extracted model"}},
          "leave it out, or choose other values");
    }
  };
  check(inputs, true);
  check(outputs, false);
}

std::string texts(const EditableModel::Values& values) {
  std::vector<std::string> paths;
  for (const auto& [name, path] : values) paths.push_back(path);
  return join(paths, ", ");
}

}  // namespace

Model EditableModel::extract(const Values& inputs, const Values& outputs) const {
  Model from = *this;
  while (true) {
    const Wires starts = wires_of(from, inputs), ends = wires_of(from, outputs);
    const std::shared_ptr<Composite> root = from.composite();
    if (root->recipe) {
      from = opened(from);
      continue;
    }
    Extraction extraction(from, needed_ops(*root, starts, ends));
    if (const Composite* closed = extraction.partly_needed()) {
      from = opened_at(from, path(closed));
      continue;
    }
    LevelForm form = extraction.pruned(*root);
    form.exposed.reset();
    form.inputs.reset();
    form.outputs.reset();
    const auto named = [&](const Wires& wires, const Values& values, const char* what) {
      std::vector<std::string> names;
      for (size_t i = 0; i < wires.size(); ++i) {
        const auto net = form.net_of(wires[i]);
        if (!net || form.nets[*net].is_gone()) {
          refuse_edit(values[i].second, std::string("the ") + what + " is not between the values",
                      {{"inputs", texts(inputs), ""}, {"outputs", texts(outputs), ""}},
                      "leave it out, or choose other values");
        }
        names.push_back(form.nets[*net].name());
      }
      return names;
    };
    const std::vector<std::string> old_inputs = named(starts, inputs, "input"),
                                   old_outputs = named(ends, outputs, "output");
    Model made = from_form(form.json(), extraction.functions());
    std::vector<std::pair<std::string, Connection>> exposed;
    for (size_t i = 0; i < outputs.size(); ++i)
      exposed.emplace_back(outputs[i].first, made.at(old_outputs[i]));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (old_inputs[i] != inputs[i].first) made.rename_key(old_inputs[i], inputs[i].first);
    }
    made.expose_keys(exposed);
    check_asked(made, inputs, outputs);
    return made;
  }
}

}  // namespace mithril
