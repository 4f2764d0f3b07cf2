#include "mithril/edit/cost.hpp"

#include <algorithm>
#include <optional>

#include "mithril/base/error.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"

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
    count *= size.constant();
  }
  return count;
}

int64_t bytes_per_element(const Wire* wire) {
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

// How many products an element of the output is the sum of; 0 for ops that sum no products. The
// second input of a product has axes that the output lacks.
int64_t products_per_element(const Part& part) {
  const OpDef& op = *part.op;
  const auto needed = std::count_if(op.inputs.begin(), op.inputs.end(), [](const PortDef& port) {
    return !port.fallback && !port.shape.empty();
  });
  if (op.cast != CastPolicy::lower || needed != 2) return 0;
  const auto& ports = op.compiled.ports;
  int64_t products = 1;
  bool has_own = false;
  for (const auto& element : ports[1].elements) {
    if (element.run || element.variable < 0) continue;
    const auto is_it = [&](const auto& other) {
      return !other.run && other.variable == element.variable;
    };
    const auto& output = ports[op.inputs.size()].elements;
    if (std::any_of(output.begin(), output.end(), is_it)) continue;
    const Dim size = resolve(part.dims[element.variable]);
    if (!size.is_constant()) return 0;
    has_own = true;
    products *= size.constant();
  }
  return has_own ? products : 0;
}

// Of an op whose tensors have known sizes.
Cost cost_of(const Part& part) {
  Cost cost;
  int64_t read = 0, made = 0;
  for (size_t slot = 0; slot < part.slot_count; ++slot) {
    if (!part.slots[slot] || !is_tensor(top(part.slots[slot]))) continue;
    const Wire* wire = top(part.slots[slot]);
    const std::optional<int64_t> count = elements(wire);
    if (!count) {
      refuse_open_size("a value of the model", wire_name(top(part.slots[slot])),
                       "give sizes of all inputs in shapes");
    }
    (slot < part.input_count ? read : made) += *count;
    cost.bytes += *count * bytes_per_element(wire);
  }
  const Wire* output = top(part.slots[part.input_count]);
  if (!is_tensor(output) || part.op->keeps_elements) return {};
  const int64_t products = products_per_element(part);
  const bool reduces = part.op->combines_by != "" || part.op->linear.size() == 1;
  cost.operations = products > 0 ? 2 * products * made : reduces ? std::max(read, made) : made;
  return cost;
}

void add(Cost& to, const Cost& cost) {
  to.operations += cost.operations;
  to.bytes += cost.bytes;
}

}  // namespace

int64_t count_parameters(const Model& model) try {
  const std::shared_ptr<Composite> root = model.composite();
  std::vector<const Wire*> inputs;
  std::vector<NamedPort> ports = input_ports(*root);
  for (const NamedPort& port : ports) inputs.push_back(port.wire);
  std::vector<const Wire*> parameters = layer_parameters(*root, inputs);
  for (const Wire* wire : inputs) {
    if (wire->differentiable == 1 &&
        std::find(parameters.begin(), parameters.end(), wire) == parameters.end())
      parameters.push_back(wire);
  }
  int64_t count = 0;
  std::vector<std::string> open;
  for (const NamedPort& port : ports) {
    if (std::find(parameters.begin(), parameters.end(), port.wire) == parameters.end()) continue;
    if (const auto size = elements(port.wire))
      count += *size;
    else
      open.push_back(port.name);
  }
  if (open.empty()) return count;
  refuse_open_size("the parameters " + join(open, ", "), open.front(),
                   "give sizes of the inputs with set_shapes");
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

ModelCost cost(const Model& model,
               const std::vector<std::pair<std::string, ShapeSpec>>& shapes) try {
  Model copy = restated(model);
  copy.set_shapes(shapes);
  ModelCost sum;
  const std::shared_ptr<Composite> root = copy.composite();
  for (const Part* part : all_op_parts(*root)) {
    const Cost of_op = cost_of(*part);
    add(sum.total, of_op);
    for (const Part* at = part; at != root.get(); at = at->owner) add(sum.parts[path(at)], of_op);
  }
  return sum;
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
