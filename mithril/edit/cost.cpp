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
#include "mithril/ops/support/subscripts.hpp"

namespace mithril {
namespace {

bool is_tensor(const Wire* wire) { return (find(wire->type)->kinds & kind::tensor) != 0; }

[[noreturn]] void refuse_large_count() {
  raise({.kind = ErrorKind::shape,
         .code = "E0205",
         .message = "a count of elements, operations or bytes is too large for 64 bits",
         .help = "give smaller sizes in shapes"});
}

int64_t count_sum(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) refuse_large_count();
  return result;
}

int64_t count_product(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) refuse_large_count();
  return result;
}

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
    products = count_product(products, size.constant());
  }
  return has_own ? products : 0;
}

int64_t size_of(const Part& part, size_t slot) {
  return elements(top(part.slots[slot])).value_or(0);
}

// The size of an axis, counted from the last one.
int64_t axis_size(const Part& part, size_t slot, size_t from_end) {
  const Shape shape = Facts::resolve(top(part.slots[slot])->shape);
  if (from_end >= shape.tail.size()) return 1;
  return resolve(shape.tail[shape.tail.size() - 1 - from_end]).constant();
}

// Each combination of indices takes a multiplication per operand but one, and an addition.
std::optional<int64_t> operations_of_einsum(const Part& part) {
  const size_t operands = part.input_count - 1;
  const Wire* text = part.slots[operands] ? top(part.slots[operands]) : nullptr;
  Equation equation;
  if (operands == 0 || !text || !is_valued(text)) return {};
  if (parse_equation(find(text->value)->datum.text(), equation)) return {};
  std::map<char, int64_t> sizes;
  int64_t dots = 1;
  for (size_t k = 0; k < operands; ++k) {
    const Subscripts& letters = equation.operands[k];
    const auto rank = Facts::resolve(top(part.slots[k])->shape).tail.size();
    for (size_t i = 0; i < letters.before.size(); ++i)
      sizes[letters.before[i]] = axis_size(part, k, rank - 1 - i);
    for (size_t i = 0; i < letters.after.size(); ++i)
      sizes[letters.after[i]] = axis_size(part, k, letters.after.size() - 1 - i);
    int64_t named = 1;
    for (const char letter : letters.letters()) named = count_product(named, sizes[letter]);
    if (letters.has_dots && named > 0) dots = std::max(dots, size_of(part, k) / named);
  }
  int64_t indices = dots;
  for (const auto& [letter, size] : sizes) indices = count_product(indices, size);
  return count_product(static_cast<int64_t>(operands), indices);
}

// The operations of an op of several products; none for other ops.
std::optional<int64_t> operations_of_products(const Part& part, int64_t made) {
  const std::string& name = part.op->name;
  if (name == "einsum") return operations_of_einsum(part);
  if (name == "scaled_dot_product") {  // query, key, value
    const int64_t features = axis_size(part, 0, 0), keys = axis_size(part, 1, 1);
    const int64_t width = axis_size(part, 2, 0);
    if (width == 0) return 0;
    const int64_t products = count_product(count_product(2, made / width), keys);
    return count_product(products, count_sum(features, width));
  }
  if (name == "conv2d_input_grad" || name == "conv2d_weight_grad") {  // grad, input, weight
    const int64_t channels = axis_size(part, 2, 3);
    if (channels == 0) return 0;
    return count_product(count_product(2, size_of(part, 0)), size_of(part, 2) / channels);
  }
  return {};
}

// Ops that do more than an operation per element, in ways that are not counted.
bool is_uncounted(const OpDef& op) {
  static const std::set<std::string_view> names{"gradient_of",
                                                "stack_rows",
                                                "stack_units",
                                                "cholesky",
                                                "ctc_loss",
                                                "det",
                                                "eigenvalues",
                                                "eigenvectors",
                                                "eigvalsh",
                                                "fft",
                                                "distance_matrix",
                                                "lstsq",
                                                "matrix_exp",
                                                "pinv",
                                                "qr",
                                                "slogdet",
                                                "solve",
                                                "solve_triangular",
                                                "svd",
                                                "svdvals"};
  return names.contains(op.name);
}

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

// The cost of an op whose tensors have known sizes.
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
    int64_t& total = slot < part.input_count ? read : made;
    total = count_sum(total, *count);
    cost.bytes = count_sum(cost.bytes, count_product(*count, bytes_per_element(wire)));
  }
  const Wire* output = first_output(part);
  if (!is_tensor(output) || part.op->keeps_elements) return {};
  if (const auto products = operations_of_products(part, made)) {
    cost.operations = *products;
    return cost;
  }
  const int64_t products = products_per_element(part);
  const bool reduces = part.op->combines_by != "" || part.op->linear.size() == 1;
  if (products > 0) {
    cost.operations = count_product(count_product(2, products), made);
  } else {
    cost.operations = reduces ? std::max(read, made) : made;
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

int64_t count_parameters(const Model& model) {
  int64_t count = 0;
  std::vector<std::string> open;
  for (const NamedPort& port : parameters_of(*model.composite())) {
    if (const auto size = elements(port.wire))
      count = count_sum(count, *size);
    else
      open.push_back(port.name);
  }
  if (open.empty()) return count;
  refuse_open_size("the parameters " + join(open, ", "), open.front(),
                   "give sizes of the inputs with set_shapes");
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

ModelCost cost(const Model& model, const std::vector<std::pair<std::string, ShapeSpec>>& shapes) {
  Model copy = restated(model);
  copy.set_shapes(shapes);
  ModelCost sum;
  const std::shared_ptr<Composite> root = copy.composite();
  std::map<const Part*, int64_t> loops;
  std::set<std::string> uncounted;
  for (const Part* part : all_op_parts(*root)) {
    if (part->op->name == "scan_steps") refuse_while(*part);
    Cost of_op = cost_of(*part);
    const int64_t steps = steps_around(*part, loops);
    of_op.operations = count_product(of_op.operations, steps);
    of_op.bytes = count_product(of_op.bytes, steps);
    if (is_uncounted(*part->op)) uncounted.insert(path(named_part(part)));
    add(sum.total, of_op);
    for (const Part* at = part; at != root.get(); at = at->owner) add(sum.parts[path(at)], of_op);
  }
  sum.uncounted.assign(uncounted.begin(), uncounted.end());
  return sum;
}

}  // namespace mithril
