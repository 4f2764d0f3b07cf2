// Gives a part of an op its slots: wires, patterns, types, relations.
#include <algorithm>
#include <memory>
#include <span>

#include "mithril/base/error.hpp"
#include "mithril/op/part_solver.hpp"
#include "mithril/op/pattern_variables.hpp"

namespace mithril {

[[noreturn]] void raise_two_drivers(Wire* wire, std::string first,
                                    std::string second);  // wires.cpp

namespace {

struct Solve final : Relation {
  const Part* part = nullptr;
  bool progress(Facts& facts) override {
    PartSolver solver(facts, *part, *this);
    return part->op->solve(solver);
  }
};

class Instantiation {
 public:
  Instantiation(Facts& facts, Part& part, std::span<const int> counts, std::span<Wire* const> wires)
      : facts_(facts),
        part_(part),
        op_(*part.op),
        counts_(counts),
        wires_(wires),
        variables_(facts, op_.compiled, make_dims(facts, part)) {}

  void run() {
    const Origin outer = facts_.current;
    make_slots();
    for (uint32_t slot = 0; slot < part_.slot_count; ++slot) connect(slot);
    facts_.current = {&part_, {}};
    variables_.make_missing_dims();
    for (const auto& [left, right, result] : op_.compiled.broadcasts) {
      facts_.broadcast(variables_.run(left), variables_.run(right), variables_.run(result),
                       facts_.current);
    }
    if (op_.solve) {
      Solve* solve = facts_.make<Solve>();
      solve->part = &part_;
      solve->origin = facts_.current;
      facts_.post(solve);
    }
    facts_.current = outer;
  }

 private:
  void make_slots() {
    size_t total = 0, list = 0;
    auto count_of = [&](size_t port) {
      return op_.port(port).list ? static_cast<size_t>(counts_[list++]) : size_t{1};
    };
    for (size_t port = 0; port < op_.port_count(); ++port) total += count_of(port);
    part_.slots =
        static_cast<Wire**>(facts_.arena().allocate(std::max<size_t>(total, 1) * sizeof(Wire*)));
    std::fill_n(part_.slots, total, nullptr);
    part_.slot_count = static_cast<uint32_t>(total);
    list = 0;
    for (size_t port = 0; port < op_.inputs.size(); ++port) {
      part_.input_count += static_cast<uint32_t>(count_of(port));
    }
  }

  static Dim* make_dims(Facts& facts, Part& part) {
    const size_t count = part.op->compiled.dims.size();
    if (count == 0) return nullptr;
    part.dims = static_cast<Dim*>(facts.arena().allocate(count * sizeof(Dim)));
    std::uninitialized_value_construct_n(part.dims, count);  // an error may read them half-way
    return part.dims;
  }

  void connect(uint32_t at) {
    const size_t number = part_.port_of(at);
    const PortDef& def = op_.port(number);
    const CompiledPorts::Port& port = op_.compiled.ports[number];
    const bool output = at >= part_.input_count;
    Wire* given = at < wires_.size() ? wires_[at] : nullptr;
    if (!given && def.fallback && port.value && port.type < 0) return;  // see Part::slots
    facts_.current = {&part_, Note(def.name)};
    Wire* wire = given ? top(given) : facts_.make<Wire>();
    part_.slots[at] = wire;
    if (output && (wire->driver || wire->constant)) {
      raise_two_drivers(wire, wire->driver ? path(wire->driver) : "a tensor value", path(&part_));
    }
    if (given) {
      state(*wire, port, def.list);
    } else {
      own(*wire, port, def.list);
    }
    if (port.left >= 0) {
      facts_.promote(variables_.type(port.left), variables_.type(port.right), wire->type,
                     facts_.current);
    }
    // An int is a dim from the start, so that arithmetic on it works before it is known.
    if (port.kinds == kind::int_value && !find(value_of(facts_, wire))->known) {
      facts_.set(wire->value, Datum(Dim(facts_.symbol({}, false))));
    }
    if (output) {
      save(wire->driver);
      save(wire->driver_slot);
      wire->driver = &part_;
      wire->driver_slot = static_cast<int32_t>(at);
      return;
    }
    save(wire->uses);
    ++wire->uses;
    if (given || !def.fallback) return;
    facts_.narrow(wire->type, def.fallback->kind());
    facts_.set(value_of(facts_, wire), *def.fallback);
  }

  // States the facts of the port about an existing wire.
  void state(Wire& wire, const CompiledPorts::Port& port, bool list) {
    if (port.type >= 0) {
      variables_.match_type(port.type, wire.type);
    } else if (port.kinds) {
      facts_.narrow(wire.type, port.kinds);
    }
    if (!port.value) variables_.match_shape(port, list, wire.shape);
  }

  // A wire of the part's own is born with it.
  void own(Wire& wire, const CompiledPorts::Port& port, bool list) {
    wire.shape = port.value ? StoredShape{} : variables_.shape(port, list);
    wire.type = port.type >= 0 ? variables_.type(port.type)
                               : facts_.type(port.kinds ? port.kinds : kind::any);
  }

  Facts& facts_;
  Part& part_;
  const OpDef& op_;
  std::span<const int> counts_;
  std::span<Wire* const> wires_;
  PatternVariables variables_;
};

}  // namespace

void instantiate(Facts& facts, Part& part, std::span<const int> counts,
                 std::span<Wire* const> wires) {
  Instantiation(facts, part, counts, wires).run();
}

void clear_slots(Part& part) {
  part.slots = nullptr;
  part.slot_count = part.input_count = 0;
  part.dims = nullptr;
}

}  // namespace mithril
