// What a user's function says about the keys of a model.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composition.hpp"
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
  int count(std::string_view key) const override {
    return static_cast<int>(std::count_if(wires_.begin(), wires_.end(),
                                          [&](const NamedWire& wire) { return wire.key == key; }));
  }

 private:
  Wire* wire(std::string_view key, int) const override {
    for (const NamedWire& wire : wires_) {
      if (wire.key == key) return top(wire.wire);
    }
    unknown_name(ErrorKind::name, "E0606", "key of the constraint", key, "", names_of(wires_));
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
    details.facts.push_back({"constraint", "on " + join(names_of(wires_), ", ")});
    raise(std::move(details));
  }

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

Model& Model::add_constraint(std::function<bool(Solver&)> constraint,
                             const std::vector<std::string>& keys) {
  Composite& model = open_model(changing());
  Composition composition(model);
  Facts& facts = composition.facts();
  facts.current = {nullptr, facts.note("add_constraint on " + join(keys, ", "))};
  Constraint* made = facts.make<Constraint>();
  made->ask = std::move(constraint);
  for (const std::string& key : keys) made->wires.push_back({key, wire_at(model, key)});
  made->origin = facts.current;
  facts.post(made);
  model.note({nullptr, StatedConstraint{keys}});
  composition.commit();
  return *this;
}

}  // namespace mithril
