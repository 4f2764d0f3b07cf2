#include "mithril/model/copy.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mithril/base/pointer_map.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/constraint.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

const Part* child_of(const Composite& root, const Part* part) {
  while (part->owner != &root) part = part->owner;
  return part;
}

// The children of a model that compute some of its wires, in their order. They include the children
// that compute the next values of the states that are read.
class Needed {
 public:
  explicit Needed(const Composite& root) : root_(root) {}

  void add(Wire* wire) {
    open_.push_back(wire);
    while (!open_.empty()) {
      Wire* next = top(open_.back());
      open_.pop_back();
      if (!wires_.insert(next).second) continue;
      if (next->driver) add_part(child_of(root_, next->driver));
      if (!root_.extras) continue;
      for (const StatePair& state : root_.extras->states) {
        if (top(state.input) == next) open_.push_back(state.output);
      }
    }
  }

  std::vector<std::shared_ptr<Part>> parts() const {
    std::vector<std::shared_ptr<Part>> result;
    for (const auto& part : root_.parts) {
      if (parts_.contains(part.get())) result.push_back(part);
    }
    return result;
  }

 private:
  void add_part(const Part* part) {
    if (!parts_.insert(part).second) return;
    const auto read = [&](const Part& op) {
      for (size_t slot = 0; slot < op.input_count; ++slot) {
        if (op.slots[slot]) open_.push_back(op.slots[slot]);
      }
    };
    if (part->op) return read(*part);
    for (const Part* op : all_op_parts(static_cast<const Composite&>(*part))) read(*op);
  }

  const Composite& root_;
  std::unordered_set<const Wire*> wires_;
  std::unordered_set<const Part*> parts_;
  std::vector<Wire*> open_;
};

// A copy of one model: its parts, and its wires by the wires that the original had by itself.
struct CopiedLevel {
  const Composite* from;
  std::shared_ptr<Composite> to;
  std::vector<std::pair<Wire*, Wire*>> order;
  PointerMap<Wire*> wires;

  // Wires that outer models joined later stay separate.
  const Wire* own(Wire* wire) const {
    return top_before(wire, from->owner ? from->adopted_at : UINT64_MAX);
  }
  Wire* find(Wire* wire) const {
    Wire* const* copy = wire ? wires.find(own(wire)) : nullptr;
    return copy ? *copy : nullptr;
  }
  void set(Wire* wire, Wire* copy) {
    wires[own(wire)] = copy;
    order.emplace_back(wire, copy);
  }
};

class Copying {
 public:
  // Copies the parts of `root` that compute the wanted wires, with the models in them.
  void copy(const std::shared_ptr<Composite>& root, const std::vector<Wire*>& wanted) {
    Needed needed(*root);
    for (Wire* wire : wanted) needed.add(wire);
    const std::vector<std::shared_ptr<Part>> parts = needed.parts();
    for (const Composite* model : inner_first(parts)) levels_.emplace(model, copied(*model));
    CopiedLevel level{root.get(), target_, {}, PointerMap<Wire*>(16)};
    {
      Composition composition(*target_);
      for (Wire* wire : wanted) wire_for(level, *target_->facts, wire);
      add_parts(level, composition, parts);
      add_keys(level, composition);
      transfer(level);
      take_extras(level, *root);
      take_symbols(level);
      composition.commit();
    }
    note_statements(level);
    Copied copied{root, {}};
    for (const auto& [from, to] : level.order) copied.wires.emplace_back(top(from), to);
    target_->copied.push_back(std::move(copied));
    levels_.clear();
  }

  // Copies a whole model, which may be a part of another.
  void copy(const std::shared_ptr<Composite>& model) {
    for (const Composite* inner : inner_first(model->parts)) levels_.emplace(inner, copied(*inner));
    CopiedLevel level = copied(*model);
    target_ = level.to;
    const std::shared_ptr<Composite> root = root_of(model);
    {
      Composition composition(*target_);
      transfer(level);
      take_extras(level, *root);
      take_symbols(level);
      composition.commit();
    }
    if (model->completion && !model->completion->done) {
      target_->completion = model->completion->copy(
          [&](const std::shared_ptr<Part>& part) {
            const auto at = std::find(model->parts.begin(), model->parts.end(), part);
            return target_->parts[static_cast<size_t>(at - model->parts.begin())];
          },
          [&](Wire* wire) { return top_of(level, wire); });
    }
    Copied copied{root, {}};
    for (const auto& [from, to] : level.order) copied.wires.emplace_back(top(from), to);
    target_->copied.push_back(std::move(copied));
    levels_.clear();
  }

  const std::shared_ptr<Composite>& target() const { return target_; }

 private:
  // Models come before those that contain them; without recursion, because they may be nested deep.
  static std::vector<const Composite*> inner_first(
      const std::vector<std::shared_ptr<Part>>& parts) {
    std::vector<const Composite*> found;
    const auto add = [&](const std::vector<std::shared_ptr<Part>>& children) {
      for (const auto& part : children) {
        if (!part->op) found.push_back(static_cast<const Composite*>(part.get()));
      }
    };
    add(parts);
    for (size_t i = 0; i < found.size(); ++i) add(found[i]->parts);
    std::reverse(found.begin(), found.end());
    return found;
  }

  CopiedLevel copied(const Composite& from) {
    auto to = new_root(from.class_name());
    to->give_name(from.given_name());
    to->source = from.source;
    CopiedLevel level{&from, to, {}, PointerMap<Wire*>(4 * from.parts.size())};
    {
      Composition composition(*to);
      add_parts(level, composition, from.parts);
      for (const Key& key : from.keys)
        to->add_key(*key.name, wire_for(level, composition.facts(), key.wire));
      composition.commit();
    }
    for (size_t i = 0; i < from.keys.size(); ++i) to->keys[i].exposed = from.keys[i].exposed;
    to->selects_outputs = from.selects_outputs;
    to->exposes_keys = from.exposes_keys;
    to->chooses_inputs = from.chooses_inputs;
    to->chooses_outputs = from.chooses_outputs;
    to->canonical_inputs = copied(level, from.canonical_inputs);
    to->canonical_outputs = copied(level, from.canonical_outputs);
    to->size_advice = from.size_advice;
    if (from.recipe) {
      to->recipe = std::make_unique<Recipe>(*from.recipe);
      to->recipe->made_at = moment();
    }
    note_statements(level);
    return level;
  }

  static std::vector<CanonicalPort> copied(const CopiedLevel& level,
                                           const std::vector<CanonicalPort>& ports) {
    std::vector<CanonicalPort> result;
    for (const CanonicalPort& port : ports) {
      if (Wire* wire = level.find(port.wire)) result.push_back({wire, port.uses});
    }
    return result;
  }

  static Wire* wire_for(CopiedLevel& level, Facts& facts, Wire* wire) {
    if (Wire* known = level.find(wire)) return known;
    Wire* made = new_wire(facts);
    level.set(wire, made);
    return made;
  }

  void add_parts(CopiedLevel& level, Composition& composition,
                 const std::vector<std::shared_ptr<Part>>& parts) {
    for (const auto& part : parts) {
      if (part->op) {
        add_op(level, composition, static_cast<const OpPart&>(*part));
      } else {
        add_model(level, composition, levels_.at(static_cast<const Composite*>(part.get())));
      }
    }
  }

  static void add_op(CopiedLevel& level, Composition& composition, const OpPart& from) {
    auto part = std::make_shared<OpPart>();
    part->op = from.op;
    part->source = from.source;
    if (from.arguments) part->arguments = std::make_unique<const Arguments>(*from.arguments);
    part->give_name(from.given_name());
    std::vector<int> counts;
    for (size_t port = 0; port < from.op->port_count(); ++port) {
      if (from.op->port(port).list) counts.push_back(from.count(from.op->port(port).name));
    }
    std::vector<Wire*> wires;
    for (size_t slot = 0; slot < from.slot_count; ++slot) {
      Wire* wire = from.slots[slot];
      wires.push_back(wire ? wire_for(level, composition.facts(), wire) : nullptr);
    }
    composition.place_op(part, counts, wires);
  }

  static void add_model(CopiedLevel& level, Composition& composition, CopiedLevel& inner) {
    std::vector<std::pair<Wire*, Wire*>> joined;
    for (const auto& [from, to] : inner.order) {
      if (Wire* outer = level.find(from)) {
        joined.emplace_back(outer, to);
      } else {
        level.set(from, to);
      }
    }
    composition.place_model(inner.to, joined);
  }

  static void add_keys(CopiedLevel& level, Composition& composition) {
    for (const Key& key : level.from->keys) {
      Wire* wire = level.find(key.wire);
      if (!wire) continue;
      if (const Key* taken = level.to->find_key(*key.name)) {
        composition.join_named({std::string(*key.name), taken->wire}, {"joined by", wire});
      } else {
        level.to->add_key(*key.name, wire);
      }
    }
  }

  // Copies the facts about the wires. The copied parts infer their consequences again.
  void transfer(const CopiedLevel& level) {
    Facts& facts = *target_->facts;
    facts.current = {};
    for (const auto& [old, made] : level.order) {
      const Wire* from = top(old);
      Wire* to = top(made);
      facts.narrow(to->type, find(from->type)->kinds);
      if (from->differentiable >= 0) {
        save(to->differentiable);
        to->differentiable = from->differentiable;
      }
      if (from->dtype) {
        save(to->dtype);
        to->dtype = from->dtype;
      }
      const DatumVariable* value = from->value && !from->driver ? find(from->value) : nullptr;
      if (value && value->known)
        facts.set(value_of(facts, to), map_dims(value->datum, [&](const Dim& dim) {
                    return rename(dim, renamed_, facts);
                  }));
      if (find(from->type)->kinds & kind::tensor) facts.unify(to->shape, facts.store(own(*from)));
    }
  }

  Shape own(const Wire& from) {
    Facts& facts = *target_->facts;
    Shape shape = Facts::resolve(from.shape);
    for (Dim& dim : shape.head) dim = rename(dim, renamed_, facts);
    for (Dim& dim : shape.tail) dim = rename(dim, renamed_, facts);
    if (!shape.run) return shape;
    Run*& run = runs_[shape.run];
    if (!run) run = facts.run();
    shape.run = run;
    return shape;
  }

  // `root` has those of all levels.
  void take_extras(const CopiedLevel& level, const Composite& root) {
    if (!root.extras) return;
    const Extras& from = *root.extras;
    Extras& to = target_->more();
    for (const TensorLiteral& literal : from.literals) {
      Wire* wire = top_of(level, literal.wire);
      if (!wire) continue;
      save(wire->constant);
      wire->constant = true;
      to.literals.push_back({wire, literal.tensor});
    }
    for (const StatePair& state : from.states) {
      Wire *input = top_of(level, state.input), *output = top_of(level, state.output);
      if (input && output) to.states.push_back({input, output, state.initial});
    }
    for (const WireDistribution& distribution : from.distributions) {
      Wire *wire = top_of(level, distribution.wire), *fan_of = top_of(level, distribution.fan_of);
      if (wire) to.distributions.push_back({wire, fan_of, distribution.initializer});
    }
    for (const Interval& interval : from.intervals) {
      if (Wire* wire = top_of(level, interval.wire))
        to.intervals.push_back({wire, interval.low, interval.high});
    }
  }

  // The names of sizes belong to the level that states them.
  void take_symbols(const CopiedLevel& level) {
    if (!level.from->extras) return;
    for (const auto& [name, dim] : level.from->extras->symbols)
      target_->more().symbols.emplace(name, rename(dim, renamed_, *target_->facts));
  }

  static Wire* top_of(const CopiedLevel& level, Wire* wire) {
    Wire* copy = level.find(wire);
    return copy ? top(copy) : nullptr;
  }

  static void note_statements(const CopiedLevel& level) {
    for (StatedFact fact : level.from->statements) {
      if (auto* constraint = std::get_if<StatedConstraint>(&fact.what)) {
        repeat(level, *constraint);
        continue;
      }
      fact.wire = level.find(fact.wire);
      auto* distribution = std::get_if<StatedDistribution>(&fact.what);
      auto* state = std::get_if<StatedState>(&fact.what);
      if (distribution) distribution->fan_of = level.find(distribution->fan_of);
      if (state) state->output = level.find(state->output);
      if (fact.wire && (!state || state->output)) level.to->statements.push_back(std::move(fact));
    }
  }

  // Repeats a constraint if all of its keys were copied.
  static void repeat(const CopiedLevel& level, const StatedConstraint& constraint) {
    for (const std::string& key : constraint.keys) {
      if (!find_port(*level.to, key)) return;
    }
    state_constraint(*level.to, constraint.ask, constraint.keys);
  }

  std::shared_ptr<Composite> target_ = new_root();
  std::unordered_map<const Composite*, CopiedLevel> levels_;  // of models inside
  Renaming renamed_;
  std::unordered_map<Run*, Run*> runs_;
};

}  // namespace

std::shared_ptr<Composite> copy_of(const std::shared_ptr<Composite>& model) {
  Copying copying;
  copying.copy(model);
  return copying.target();
}

std::pair<std::shared_ptr<Composite>, std::vector<Connection>> copy_of(
    const std::vector<Connection>& connections) {
  std::vector<std::pair<std::shared_ptr<Composite>, std::vector<Wire*>>> roots;
  for (const Connection& connection : connections) {
    const std::shared_ptr<Composite> root = root_of(connection.model());
    const auto at = std::find_if(roots.begin(), roots.end(),
                                 [&](const auto& known) { return known.first == root; });
    if (at == roots.end()) {
      roots.push_back({root, {connection.wire()}});
    } else {
      at->second.push_back(connection.wire());
    }
  }
  Copying copying;
  for (const auto& [root, wires] : roots) copying.copy(root, wires);
  std::vector<Connection> copies;
  for (const Connection& connection : connections) {
    const std::shared_ptr<Composite> root = root_of(connection.model());
    copies.emplace_back(copying.target(), copying.target()->find_copy(root, connection.wire()));
  }
  return {copying.target(), std::move(copies)};
}

}  // namespace mithril
