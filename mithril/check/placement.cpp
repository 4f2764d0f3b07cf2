#include "mithril/check/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "mithril/check/generate.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"

namespace mithril::check {
namespace {

// A fact about the input of a port.
struct Statement {
  Note port;
  std::function<void()> state;
};

class PlacedRow {
 public:
  PlacedRow(const OpDef& op, const OpCase& row, Knowledge knowledge)
      : op_(op), row_(row), knowledge_(knowledge) {
    facts_.decorate = decorate_error;
    part_.op = &op;
  }

  std::vector<Inferred> run(std::uint64_t seed) {
    collect();
    statements_.push_back({Note(), [this] { instantiate(facts_, part_, list_counts(), wires_); }});
    shuffle(seed);
    for (const Statement& statement : statements_) {
      facts_.current = {&part_, statement.port};
      statement.state();
      facts_.settle();
    }
    facts_.current = {};
    for (const auto& [dim, size] : sizes_) facts_.unify(dim, Dim(size));
    facts_.settle();
    return outputs();
  }

 private:
  bool is_given(const std::string& port) const {
    return std::any_of(row_.inputs.begin(), row_.inputs.end(),
                       [&](const auto& input) { return input.first == port; });
  }

  // Omitted ports get no wire, so they have their defaults as in a model.
  void collect() {
    const std::vector<PortContent> given = contents(op_, row_);
    for (std::size_t port = 0; port < given.size(); ++port) {
      if (op_.inputs[port].list) list_inputs_ = static_cast<int>(given[port].items.size());
      if (op_.mirrors_list()) list_outputs_ = list_inputs_;
      for (const Item& item : given[port].items) {
        const Datum* datum = std::get_if<Datum>(&item);
        if (op_.inputs[port].name == op_.outputs_from && datum)
          list_outputs_ = static_cast<int>(datum->tuple().size());
        wires_.push_back(is_given(op_.inputs[port].name) ? new_wire(facts_) : nullptr);
        if (!wires_.back()) continue;
        const Note name(op_.inputs[port].name);
        if (datum) {
          add_value(name, wires_.back(), *datum);
        } else {
          add_tensor(name, wires_.back(), std::get<TensorSpec>(item));
        }
      }
    }
  }

  std::vector<int> list_counts() const {
    std::vector<int> counts;
    if (op_.list_input() >= 0) counts.push_back(list_inputs_);
    if (op_.list_output() >= 0) counts.push_back(list_outputs_);
    return counts;
  }

  void add_value(Note port, Wire* wire, const Datum& datum) {
    statements_.push_back(
        {port, [this, wire, kind = datum.kind()] { facts_.narrow(wire->type, kind); }});
    statements_.push_back(
        {port, [this, wire, datum] { facts_.set(value_of(facts_, wire), datum); }});
  }

  void add_tensor(Note port, Wire* wire, const TensorSpec& spec) {
    const std::vector<Dim> dims = dims_of(spec, knowledge_, facts_, shared_);
    std::vector<Dim> free;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      free.emplace_back(facts_.symbol());
      statements_.push_back(
          {port, [this, from = free.back(), to = dims[i]] { facts_.unify(from, to); }});
      if (!dims[i].is_constant()) sizes_.emplace_back(dims[i], spec.dims[i]);
    }
    statements_.push_back({port, [this, wire, free] { facts_.unify(wire->shape, free); }});
    statements_.push_back({port, [this, wire, dtype = spec.dtype] {
                             facts_.narrow(wire->type, tensor_kind(dtype));
                           }});
  }

  void shuffle(std::uint64_t seed) {
    if (seed == 0) return;
    Random random(seed);
    std::shuffle(statements_.begin(), statements_.end(), random);
    std::shuffle(sizes_.begin(), sizes_.end(), random);
  }

  std::vector<Inferred> outputs() {
    std::vector<Inferred> result;
    int item = 0;
    for (std::size_t slot = part_.input_count; slot < part_.slot_count; ++slot) {
      const PortDef& port = part_.port_at(slot);
      result.push_back(infer(port.list ? fmt::format("{}_{}", port.name, item++) : port.name,
                             top(part_.slots[slot])));
    }
    return result;
  }

  static Inferred infer(std::string name, Wire* wire) {
    Inferred inferred{.name = std::move(name), .kinds = find(wire->type)->kinds};
    if (inferred.is_value()) {
      const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
      if (value && value->known)
        inferred.value = map_dims(value->datum, [](const Dim& dim) { return resolve(dim); });
      return inferred;
    }
    std::vector<Dim> dims;
    if (!Facts::known(wire->shape, dims)) return inferred;
    Dims sizes;
    for (const Dim& dim : dims) {
      if (!resolve(dim).is_constant()) return inferred;
      sizes.push_back(resolve(dim).constant());
    }
    inferred.dims = std::move(sizes);
    return inferred;
  }

  const OpDef& op_;
  const OpCase& row_;
  Knowledge knowledge_;
  Facts facts_;
  Part part_;
  std::vector<Wire*> wires_;
  std::vector<Dim> shared_;
  std::vector<Statement> statements_;
  std::vector<std::pair<Dim, std::int64_t>> sizes_;
  int list_inputs_ = 0, list_outputs_ = 1;
};

}  // namespace

std::vector<Inferred> place(const OpDef& op, const OpCase& row, Knowledge knowledge,
                            std::uint64_t seed) {
  return PlacedRow(op, row, knowledge).run(seed);
}

bool makes_values(const OpDef& op, const OpCase& row) {
  const std::vector<Inferred> outputs = place(op, row, Knowledge::numbers, 0);
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Inferred& output) { return output.is_value(); });
}

bool is_accepted(const OpDef& op, const OpCase& row) {
  try {
    place(op, row, Knowledge::numbers, 0);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool is_evaluated(const OpDef& op, const OpCase& row) {
  try {
    place(op, row, Knowledge::numbers, 0);
    const RowGraph built = build(op, row);
    interpret(built.graph, generate(built.tensors, 1));
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace mithril::check
