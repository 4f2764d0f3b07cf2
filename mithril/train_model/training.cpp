#include "mithril/train_model/training.hpp"

#include <algorithm>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

std::vector<std::string> canonical_inputs(Part& part) {
  std::vector<std::string> names;
  if (part.op) {
    names = part.op->canonical;
    if (names.empty() && !part.op->inputs.empty()) names = {part.op->inputs.front().name};
    return names;
  }
  const Composite& model = static_cast<const Composite&>(part);
  const std::vector<Wire*> open = open_inputs(model);
  for (const NamedPort& port : input_ports(model)) {
    if (std::find(open.begin(), open.end(), port.wire) != open.end()) names.push_back(port.name);
  }
  return names;
}

// Whether the wire depends on `source`.
bool depends_on(Wire* wire, const Wire* source) {
  std::vector<Wire*> open{top(wire)};
  std::unordered_set<const Part*> seen;
  while (!open.empty()) {
    const Wire* at = open.back();
    open.pop_back();
    if (at == source) return true;
    if (!at->driver || !seen.insert(at->driver).second) continue;
    for (Wire* input : at->driver->input_slots()) {
      if (input) open.push_back(top(input));
    }
  }
  return false;
}

std::vector<Part*> averaging_ops(const std::vector<PartPointer>& steps) {
  std::vector<Part*> found;
  for (const PartPointer& step : steps) {
    std::vector<Part*> ops{step.get()};
    if (!step->op) ops = all_op_parts(static_cast<const Composite&>(*step));
    std::copy_if(ops.begin(), ops.end(), std::back_inserter(found),
                 [](const Part* op) { return op->op->reduces_to_element_size; });
  }
  return found;
}

// Adds the cost, op by op.
class CostWriter {
 public:
  CostWriter(Composition& composition, const Training& training)
      : composition_(composition), training_(training) {}

  void write() {
    std::vector<Wire*> losses;
    for (const Objective& loss : training_.losses) losses.push_back(loss.output);
    const PartPointer& combiner = training_.combiner.part();
    const Connection joined = connection(losses.size() == 1 ? losses.front() : flat(losses));
    Wire* cost = add_part(composition_, combiner, {{canonical_input(*combiner), joined}});
    std::vector<Wire*> terms{cost};
    for (const Penalty& penalty : training_.penalties) {
      for (const Penalty::Term& term : penalty.terms)
        terms.push_back(
            op("multiply", {{"left", connection(averaged(term))}, {"right", penalty.coef}}));
    }
    if (terms.size() > 1) cost = op("sum", {{"input", connection(flat(terms))}});
    require_one_number(cost);
    Composite& model = composition_.here();
    model.add_key(cost_key, cost);
    model.keys.back().exposed = true;
    save(model.canonical_outputs);
    model.canonical_outputs = {{top(cost), top(cost)->uses}};
  }

 private:
  Connection connection(Wire* wire) { return connection_of(composition_, wire); }

  // Values are passed as arguments of the op, so that they do not count as statements of the user.
  Wire* op(const char* name, const Bindings& bindings) {
    Arguments arguments;
    Bindings wired;
    for (const auto& [port, binding] : bindings) {
      if (const auto* datum = std::get_if<Datum>(&binding.held()))
        arguments.emplace_back(port, *datum);
      else
        wired.emplace_back(port, binding);
    }
    return add_part(composition_, Model::op(name, std::move(arguments)).part(), wired);
  }

  Wire* flat(const std::vector<Wire*>& wires) {
    std::vector<Binding> items;
    for (Wire* wire : wires) items.emplace_back(connection(wire));
    return op("concat", {{"input", items}, {"axis", none}});
  }

  Wire* averaged(const Penalty::Term& term) {
    std::vector<const Objective*> dependent;
    for (const Objective& loss : training_.losses) {
      if (depends_on(loss.output, top(term.key))) dependent.push_back(&loss);
    }
    Wire* size = nullptr;
    for (const Objective* loss : dependent) {
      for (Part* average : averaging_ops(loss->reduce_steps)) {
        Wire* factor = size_of(*average, dependent.size());
        size = size ? op("multiply", {{"left", connection(size)}, {"right", connection(factor)}})
                    : factor;
      }
    }
    if (!size) return term.output;
    return op("divide",
              {{"numerator", connection(term.output)}, {"denominator", connection(size)}});
  }

  // The root of the number of elements that an op averages, as a tensor. If the rank is not known,
  // the number is computed at run time.
  Wire* size_of(Part& average, size_t root) {
    composition_.facts().settle();
    const Connection input = connection(average.slots_of("input").front());
    const Binding axis = axis_of(average);
    std::vector<Dim> dims;
    Wire* size = nullptr;
    if (!Facts::known(input.wire()->shape, dims)) {
      size = counted(input, axis);
    } else {
      size = product(input, dims.empty() ? Binding(Datum()) : axis);
    }
    if (root < 2) return size;
    return op("power", {{"base", connection(size)}, {"exponent", 1.0 / static_cast<double>(root)}});
  }

  static Binding axis_of(Part& average) {
    if (const Datum* left_out = average.left_out("axis")) return *left_out;
    const Wire* wire = top(average.slots_of("axis").front());
    const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
    return value && value->known ? value->datum : Datum();
  }

  Wire* product(const Connection& input, const Binding& axis) {
    const Datum& axes = std::get<Datum>(axis.held());
    std::vector<Datum> each{axes};
    if (axes.kind() == kind::tuple) each = axes.tuple();
    Wire* size = nullptr;
    for (const Datum& one : each) {
      Wire* factor = op("size", {{"input", input}, {"dim", one}});
      size = size ? op("multiply", {{"left", connection(size)}, {"right", connection(factor)}})
                  : factor;
    }
    if (!size) size = op("size", {{"input", input}, {"dim", Datum(Tuple{})}});
    return op("to_tensor", {{"input", connection(size)}});
  }

  Wire* counted(const Connection& input, const Binding& axis) {
    Wire* ones = op("fill_like", {{"like", input}, {"number", 1.0}});
    Wire* counts = op("sum", {{"input", connection(ones)}, {"axis", axis}});
    return op("max", {{"input", connection(counts)}});
  }

  void require_one_number(Wire* cost) {
    Facts& facts = composition_.facts();
    facts.settle();
    std::vector<Dim> dims;
    if (Facts::known(top(cost)->shape, dims) && dims.empty()) return;
    raise({.kind = ErrorKind::shape,
           .code = "E0211",
           .path = cost_key,
           .message = "the cost of a training model is one number",
           .facts = {{"expected", "[]"}, {"got", to_string(Facts::resolve(top(cost)->shape))}},
           .help = "give set_loss_combiner a model that reduces the losses to one number"});
  }

  Composition& composition_;
  const Training& training_;
};

}  // namespace

Connection connection_of(Composition& composition, Wire* wire) {
  return Connection(composition.here().shared_from_this(), top(wire));
}

std::string canonical_input(Part& part) {
  const std::vector<std::string> names = canonical_inputs(part);
  if (names.size() == 1) return names.front();
  raise({.kind = ErrorKind::connection,
         .code = "E0105",
         .path = path(&part),
         .message = "the canonical input of " + part.class_name() + " is not unique",
         .facts = {{"candidates", names.empty() ? "none" : join(names, ", "), ""}},
         .help = "name the port, or choose one with set_cin"});
}

Wire* only_output(const Part& part) {
  std::vector<NamedPort> outputs;
  if (part.op) {
    for (size_t slot = part.input_count; slot < part.slot_count; ++slot)
      outputs.push_back({part.port_at(slot).name, part.slots[slot]});
  } else {
    outputs = output_ports(static_cast<const Composite&>(part));
  }
  if (outputs.size() == 1) return top(outputs.front().wire);
  std::vector<std::string> names;
  for (const NamedPort& output : outputs) names.push_back(output.name);
  raise({.kind = ErrorKind::connection,
         .code = "E0117",
         .path = path(&part),
         .message = part.class_name() + " makes " + std::to_string(outputs.size()) +
                    " outputs, and a training model reads one",
         .facts = {{"outputs", names.empty() ? "none" : join(names, ", "), ""}},
         .help = "expose one of them with expose_keys"});
}

Wire* add_part(Composition& composition, const PartPointer& part, const Bindings& bindings) {
  composition.add(part, bindings, false);
  return only_output(*part);
}

void Training::require() const {
  if (is_ready()) return;
  raise({.kind = ErrorKind::connection,
         .code = "E0116",
         .message = "a training model without a loss has no cost",
         .help = "give it one with add_loss"});
}

std::vector<Wire*> Training::objectives() const {
  std::vector<Wire*> wires;
  for (const auto* list : {&losses, &metrics}) {
    for (const Objective& objective : *list) wires.push_back(objective.output);
  }
  for (const Penalty& penalty : penalties) {
    for (const Penalty::Term& term : penalty.terms) wires.push_back(term.output);
  }
  return wires;
}

std::unique_ptr<Completion> Training::copy(
    const std::function<PartPointer(const PartPointer&)>& part,
    const std::function<Wire*(Wire*)>& wire) const {
  auto copied = std::make_unique<Training>();
  copied->model = part(model);
  copied->losses = losses;
  copied->metrics = metrics;
  copied->penalties = penalties;
  copied->combiner = combiner.copy();
  for (auto* list : {&copied->losses, &copied->metrics}) {
    for (Objective& objective : *list) {
      objective.part = part(objective.part);
      objective.output = wire(objective.output);
      for (PartPointer& step : objective.reduce_steps) step = part(step);
    }
  }
  for (Penalty& penalty : copied->penalties) {
    for (Penalty::Term& term : penalty.terms)
      term = {part(term.part), wire(term.key), wire(term.output)};
  }
  return copied;
}

void Training::complete(Composition& composition) const { CostWriter(composition, *this).write(); }

}  // namespace mithril
