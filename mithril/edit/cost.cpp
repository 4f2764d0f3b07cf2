#include "mithril/edit/cost.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/op_work.hpp"

namespace mithril {
namespace {

bool is_tensor(const Wire* wire) { return (find(wire->type)->kinds & kind::tensor) != 0; }

// None if a size is not known.
std::optional<int64_t> elements(const Wire* wire) {
  const Shape shape = Facts::resolve(wire->shape);
  if (shape.run) return {};
  int64_t count = 1;
  for (const Dim& dim : shape.tail) {
    const Dim size = resolve(dim);
    if (!size.is_constant()) return {};
    count = count_product(count, size.constant());
  }
  return count;
}

int64_t bytes_per_element(const Wire* wire) {
  if (wire->dtype) return static_cast<int64_t>(size_of(*wire->dtype));
  const Kinds kinds = find(wire->type)->kinds;
  if (kinds & kind::float_tensor) return 4;
  return kinds & kind::int_tensor ? 8 : 1;
}

[[noreturn]] void refuse_open_size(const std::string& what, const std::string& name,
                                   const std::string& help) {
  raise({.kind = ErrorKind::shape,
         .code = "E0209",
         .path = name,
         .message = "a size of " + what + " is not known",
         .help = help});
}

// The model with the sizes. `model` keeps its own.
Model with_shapes(const Model& model, const KeyShapes& shapes) {
  if (shapes.empty()) return model;
  Model sized = restated(model);
  sized.set_shapes(shapes);
  return sized;
}

// The dims of a tensor whose sizes are known; none for a value, or no tensor.
std::optional<Dims> dims_of(const Wire* wire) {
  if (!wire || !is_tensor(wire)) return {};
  Dims dims;
  for (const Dim& dim : Facts::resolve(wire->shape).tail) dims.push_back(resolve(dim).constant());
  return dims;
}

// The last input, if it is a value that is known.
const Datum* last_value(const Part& part) {
  if (part.input_count == 0 || !part.slots[part.input_count - 1]) return nullptr;
  const Wire* const last = top(part.slots[part.input_count - 1]);
  const bool is_literal = static_cast<bool>(last->constant);  // a tensor, which has no datum
  return !is_literal && is_valued(last) ? &find(last->value)->datum : nullptr;
}

// The tensors of an op, whose sizes are known.
class PartTensors {
 public:
  explicit PartTensors(const Part& part) : part_(part) {
    for (size_t slot = 0; slot < part.slot_count; ++slot)
      dims_.push_back(dims_of(part.slots[slot] ? top(part.slots[slot]) : nullptr));
    for (const std::optional<Dims>& known : dims_) tensors_.push_back(known ? &*known : nullptr);
  }

  OpTensors get() const {
    const std::span<const Dims* const> all = tensors_;
    return {.inputs = all.first(part_.input_count),
            .outputs = all.subspan(part_.input_count),
            .last_value = last_value(part_)};
  }
  int64_t elements_moved(size_t slot) const {
    if (slot < part_.input_count) return elements_read(*part_.op, get(), slot);
    return counted_elements(*tensors_[slot]);
  }

 private:
  const Part& part_;
  std::vector<std::optional<Dims>> dims_;
  std::vector<const Dims*> tensors_;
};

// The model that contains the op, if it is a part, or the op.
const Part* named_part(const Part* op) { return op->owner->owner ? op->owner : op; }

// The number of steps of the loops around the op.
int64_t steps_around(const Part& op, std::map<const Part*, int64_t>& known) {
  int64_t steps = 1;
  for (const Part* at = op.owner; at; at = at->owner) {
    const auto [entry, is_new] = known.emplace(at, 1);
    if (is_new) {
      for (const auto& part : static_cast<const Composite*>(at)->parts) {
        if (!part->op || part->op->name != "scan_steps") continue;
        const std::optional<int64_t> count = elements(top(part->slots[part->input_count]));
        if (!count)
          refuse_open_size("the steps of a loop", path(at), "give sizes of all inputs in shapes");
        entry->second = *count;
      }
    }
    const bool is_of_loop = at == op.owner && op.op->name.starts_with("scan_");
    if (!is_of_loop) steps = count_product(steps, entry->second);
  }
  return steps;
}

Wire* first_output(const Part& op) { return top(op.slots[op.input_count]); }

// Refuses a loop whose number of steps follows from no sequence and no length.
void refuse_while(const Part& steps) {
  if (elements(first_output(steps))) return;
  const Part* last = nullptr;
  for (const auto& part : static_cast<const Composite*>(steps.owner)->parts) {
    if (part->op && part->op->name == "scan_item") return;
    if (!last && part->op && part->op->name == "scan_last") last = part.get();
  }
  raise({.kind = ErrorKind::shape,
         .code = "E0209",
         .path = wire_name(first_output(last ? *last : steps)),
         .message = "a condition ends the loop, so its number of steps is not known",
         .help = "give the most steps: max_steps of While"});
}

// The tensors at the slots of an op; null: a value, or none.
std::vector<Wire*> tensor_wires(const Part& part) {
  std::vector<Wire*> wires;
  for (size_t slot = 0; slot < part.slot_count; ++slot) {
    Wire* const wire = part.slots[slot] ? top(part.slots[slot]) : nullptr;
    wires.push_back(wire && is_tensor(wire) ? wire : nullptr);
  }
  return wires;
}

Cost cost_of(const Part& part) {
  const std::vector<Wire*> wires = tensor_wires(part);
  for (Wire* const wire : wires) {
    if (wire && !elements(wire)) {
      refuse_open_size("a value of the model", wire_name(wire),
                       "give sizes of all inputs in shapes");
    }
  }
  if (!is_tensor(first_output(part)) || part.op->keeps_elements) return {};
  const PartTensors tensors(part);
  Cost cost{.operations = operations_of(*part.op, tensors.get())};
  for (size_t slot = 0; slot < wires.size(); ++slot) {
    if (!wires[slot]) continue;
    const int64_t bytes =
        count_product(tensors.elements_moved(slot), bytes_per_element(wires[slot]));
    cost.bytes = count_sum(cost.bytes, bytes);
  }
  return cost;
}

// The parameters of layers, and the inputs that are stated to be differentiable.
std::vector<NamedPort> parameters_of(const Composite& root) {
  std::vector<NamedPort> ports = input_ports(root);
  std::vector<const Wire*> inputs;
  for (const NamedPort& port : ports) inputs.push_back(port.wire);
  const std::vector<const Wire*> of_layers = layer_parameters(root, inputs);
  std::erase_if(ports, [&](const NamedPort& port) {
    return port.wire->differentiable != 1 &&
           std::find(of_layers.begin(), of_layers.end(), port.wire) == of_layers.end();
  });
  return ports;
}

void add(Cost& to, const Cost& cost) {
  to.operations = count_sum(to.operations, cost.operations);
  to.bytes = count_sum(to.bytes, cost.bytes);
}

}  // namespace

int64_t count_parameters(const Model& model, const KeyShapes& shapes) {
  int64_t count = 0;
  std::vector<std::string> open;
  const Model sized = with_shapes(model, shapes);
  for (const NamedPort& port : parameters_of(*sized.composite())) {
    if (const auto size = elements(port.wire))
      count = count_sum(count, *size);
    else
      open.push_back(port.name);
  }
  if (open.empty()) return count;
  refuse_open_size("the parameters " + join(open, ", "), open.front(),
                   "give sizes of the inputs in shapes");
}

PartParameters parameters_by_part(const Model& model, const std::vector<std::string>& others) {
  const std::shared_ptr<Composite> root = model.composite();
  PartParameters found;
  std::set<const Wire*> parameters;
  for (const NamedPort& port : parameters_of(*root)) {
    found.keys.push_back(port.name);
    parameters.insert(port.wire);
  }
  for (const NamedPort& port : input_ports(*root)) {
    const bool is_other = std::find(others.begin(), others.end(), port.name) != others.end();
    if (is_other && parameters.insert(port.wire).second) found.keys.push_back(port.name);
  }
  std::map<std::string, std::set<const Wire*>>
      read;  // the parameters that the part at a path reads
  for (const Part* part : all_op_parts(*root)) {
    for (size_t slot = 0; slot < part->input_count; ++slot) {
      const Wire* wire = part->slots[slot] ? top(part->slots[slot]) : nullptr;
      if (!parameters.contains(wire)) continue;
      for (const Part* at = part; at != root.get(); at = at->owner) read[path(at)].insert(wire);
    }
  }
  for (const auto& [part, wires] : read) {
    std::optional<int64_t> count = 0;
    for (const Wire* wire : wires) {
      const std::optional<int64_t> size = elements(wire);
      count = count && size ? std::optional(count_sum(*count, *size)) : std::nullopt;
    }
    found.counts[part] = count;
  }
  return found;
}

ModelCost cost(const Model& model, const KeyShapes& shapes) {
  // A model that is a part, or an op, is counted by itself.
  const bool is_whole = !model.part()->op && !model.part()->owner;
  const Model sized = with_shapes(is_whole ? model : restated(model), shapes);
  ModelCost sum;
  const std::shared_ptr<Composite> root = sized.composite();
  std::map<const Part*, int64_t> loops;
  std::set<std::string> uncounted;
  for (const Part* part : all_op_parts(*root)) {
    if (part->op->name == "scan_steps") refuse_while(*part);
    Cost of_op = cost_of(*part);
    const int64_t steps = steps_around(*part, loops);
    of_op.operations = count_product(of_op.operations, steps);
    of_op.bytes = count_product(of_op.bytes, steps);
    if (part->op->work.uncounted) uncounted.insert(path(named_part(part)));
    add(sum.total, of_op);
    for (const Part* at = part; at != root.get(); at = at->owner) add(sum.parts[path(at)], of_op);
  }
  sum.uncounted.assign(uncounted.begin(), uncounted.end());
  return sum;
}

}  // namespace mithril
