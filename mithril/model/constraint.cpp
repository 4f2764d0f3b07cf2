#include "mithril/model/constraint.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/part_solver.hpp"

namespace mithril {
namespace {

struct NamedWire {
  std::string key;
  Wire* wire;
};

std::vector<std::string> names_of(const std::vector<NamedWire>& wires) {
  std::vector<std::string> names;
  for (const NamedWire& wire : wires) names.push_back(wire.key);
  return names;
}

// The keys of a constraint are its ports.
class KeySolver final : public WireSolver {
 public:
  KeySolver(Facts& facts, Relation& self, const std::vector<NamedWire>& wires)
      : WireSolver(facts, self), wires_(wires) {}

  Dim dim(std::string_view name) const override { no_pattern(name); }
  void set(std::string_view dim, const Dim&) override { no_pattern(dim); }
  void set_shape(std::string_view key, const std::vector<Dim>& dims, int item) override {
    state(std::string(key), [&] { WireSolver::set_shape(key, dims, item); });
  }
  void set_value(std::string_view key, const Datum& datum, int item) override {
    state(std::string(key), [&] { WireSolver::set_value(key, datum, item); });
  }
  void narrow(std::string_view key, Kinds kinds, int item) override {
    state(std::string(key), [&] { WireSolver::narrow(key, kinds, item); });
  }
  void same_type(std::string_view key, std::string_view other) override {
    state(std::string(key), [&] { WireSolver::same_type(key, other); });
  }
  void same(const Dim& a, const Dim& b) override {
    state(all_keys(), [&] { WireSolver::same(a, b); });
  }
  int count(std::string_view key) const override {
    return static_cast<int>(std::count_if(wires_.begin(), wires_.end(),
                                          [&](const NamedWire& wire) { return wire.key == key; }));
  }

 private:
  Wire* wire(std::string_view key, int) const override {
    for (const NamedWire& wire : wires_) {
      if (wire.key == key) return top(wire.wire);
    }
    unknown_member(ErrorKind::name, "E0606", "the constraint", "key", key, "", names_of(wires_));
  }

  [[noreturn]] void no_pattern(std::string_view name) const {
    unknown_name(ErrorKind::name, "E0614", "named dim in a constraint", name, "", {});
  }

  void refuse(std::string message, std::string expected, std::string got, ErrorKind kind) override {
    ErrorDetails details{.kind = kind,
                         .code = kind == ErrorKind::shape ? "E0206" : "E0402",
                         .message = std::move(message)};
    if (!expected.empty()) details.facts.push_back({"expected", std::move(expected)});
    if (!got.empty()) details.facts.push_back({"got", std::move(got)});
    raise_of_constraint(std::move(details), all_keys());
  }

  // Runs inference on a fact about a key; errors name the key.
  template <typename Action>
  void state(const std::string& key, Action action) {
    try {
      action();
    } catch (const Error& error) {
      raise_of_constraint(error.unnumbered(), key);
    }
  }

  [[noreturn]] void raise_of_constraint(ErrorDetails details, const std::string& key) const {
    if (details.path.empty()) details.path = details.port = key;
    details.facts.push_back({"constraint", "on " + all_keys()});
    raise(std::move(details));
  }

  std::string all_keys() const { return join(names_of(wires_), ", "); }

  const std::vector<NamedWire>& wires_;
};

struct Constraint final : Relation {
  std::function<bool(Solver&)> ask;
  std::vector<NamedWire> wires;
  bool progress(Facts& facts) override {
    KeySolver solver(facts, *this, wires);
    return ask(solver);
  }
};

}  // namespace

void state_constraint(Composite& model, std::function<bool(Solver&)> constraint,
                      const std::vector<std::string>& keys) {
  Composition composition(model);
  Facts& facts = composition.facts();
  facts.current = {nullptr, facts.note("add_constraint on " + join(keys, ", "))};
  Constraint* made = facts.make<Constraint>();
  made->ask = constraint;
  for (const std::string& key : keys) made->wires.push_back({key, wire_at(model, key)});
  made->origin = facts.current;
  facts.post(made);
  model.note({nullptr, StatedConstraint{keys, std::move(constraint)}});
  composition.commit();
}

}  // namespace mithril
