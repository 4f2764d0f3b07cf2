// `Loop` and `Scan` as loops of models. Loops whose steps cannot be a part are unrolled.
#include <algorithm>
#include <limits>

#include "mithril/base/text.hpp"
#include "mithril/onnx/loop_part.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

constexpr std::int64_t most_steps = 1000;  // that are unrolled

Value known_int(std::int64_t number) {
  return {Tensor::of({}, std::vector<std::int64_t>{number}), ElementType::int64};
}

Value known_true() { return {Tensor::scalar(true), ElementType::boolean}; }

bool is_false(const Value& value) {
  if (value.known && value.known->size() != 1) refuse("its condition is not one bool");
  return value.known && value.known->at_as_double(0) == 0;
}

// Whether nodes of the graph, or of their graphs, read the name.
bool is_read(const GraphRecord& graph, const std::string& name) {
  for (const ValueRecord& output : graph.outputs)
    if (output.name == name) return true;
  for (const NodeRecord& node : graph.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), name) != node.inputs.end()) return true;
    for (const AttributeRecord& attribute : node.attributes)
      if (attribute.g && is_read(*attribute.g, name)) return true;
  }
  return false;
}

bool is_any_missing(const Outputs& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Value& value) { return value.is_missing; });
}

// Inputs: the number of steps and the condition, both of which may be left out, and the carries.
// Inputs of the body: the number of the step, the condition, and the carries. Its outputs: the
// condition, the carries, and values to stack.
class LoopNode {
 public:
  explicit LoopNode(const GraphNode& at) : at_(at), node_(at.node), body_(at.graph("body")) {
    carries_ = node_.count() < 2 ? 0 : node_.count() - 2;
    if (body_.inputs.size() != 2 + carries_ || body_.outputs.size() < 1 + carries_)
      refuse("its body has " + std::to_string(body_.inputs.size()) + " inputs and " +
             std::to_string(body_.outputs.size()) + " outputs, and it passes on " +
             std::to_string(carries_) + " values");
    for (std::size_t i = 1 + carries_; i < body_.outputs.size(); ++i)
      if (node_.wants(i - 1)) stacks_.push_back(&body_.outputs[i]);
    if (node_.has(0) && node_.is_known(0)) steps_ = static_cast<std::int64_t>(node_.number(0));
    is_begun_ = !node_.has(1) || node_.is_known(1);
    if (node_.has(1) && is_false(node_.value(1))) steps_ = 0;
  }

  Outputs outputs() {
    if (steps_ && *steps_ <= 0) return stacks_.empty() ? first_values() : as_part();
    const bool is_bounded = steps_ && *steps_ <= most_steps && is_begun_;
    const bool is_known = is_begun_ && are_inputs_known() && (steps_ ? is_bounded : !node_.has(0));
    if (has_sequences() || is_known) return unrolled();
    if (!is_bounded) return as_part();
    const std::size_t noted = at_.importer.problem_count();
    try {
      Outputs made = as_part();
      if (!is_any_missing(made)) return made;
    } catch (const Refusal&) {
    } catch (const Error& error) {
      if (is_fatal(error)) throw;
    }
    at_.importer.forget_problems(noted, at_.scope.depth);
    return unrolled();
  }

 private:
  bool has_sequences() const {
    return std::any_of(node_.values().begin(), node_.values().end(),
                       [](const Value& value) { return value.is_sequence || value.is_empty; });
  }

  bool are_inputs_known() const {
    const std::vector<Value> values = first_values();
    return std::all_of(values.begin(), values.end(),
                       [](const Value& value) { return value.known && !value.is_weight; });
  }

  std::vector<Value> first_values() const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < carries_; ++i) values.push_back(node_.value(2 + i));
    return values;
  }

  // In the order of the outputs of the node.
  Outputs placed(Outputs made) const {
    Outputs outputs(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carries_));
    std::size_t next = carries_;
    for (std::size_t i = carries_; i + 1 < body_.outputs.size(); ++i)
      outputs.push_back(node_.wants(i) ? made[next++] : Value());
    return outputs;
  }

  // Imports the loop as a part. A step runs only while the condition is true, so the body reads
  // true.
  Outputs as_part() {
    const bool has_length = steps_ || (node_.has(0) && node_.value(0).sizes);
    if (!has_length || !is_begun_) return with_condition();
    LoopPart part(at_, body_);
    part.add_known(body_.inputs[1], known_true());
    for (std::size_t i = 0; i < carries_; ++i)
      part.add_carry(body_.inputs[2 + i], body_.outputs[1 + i], node_.value(2 + i));
    std::optional<Size> length;
    const Size steps =
        steps_ ? Size(std::max<std::int64_t>(*steps_, 0)) : node_.elements(0).front();
    if (is_read(body_, body_.inputs[0].name)) {
      part.add_sequence(body_.inputs[0], positions_to(steps), ElementType::int64);
    } else {
      length = steps;
    }
    const std::size_t noted = at_.importer.problem_count();
    const Value goes_on = part.output(body_.outputs[0]);
    if (!goes_on.is_missing && (!goes_on.known || is_false(goes_on))) {
      at_.importer.forget_problems(noted, at_.scope.depth);
      return with_condition();
    }
    const auto made = part.scanned(stacks_, length, false);
    return made ? placed(*made) : missing_outputs(at_);
  }

  Outputs with_condition() {
    if (!stacks_.empty())
      refuse("its number of steps depends on data, and it stacks values of all steps");
    LoopPart part(at_, body_);
    part.add_known(body_.inputs[1], known_true());
    const bool is_endless = steps_ && *steps_ >= std::numeric_limits<std::int32_t>::max();
    const bool is_bounded = steps_ && *steps_ <= most_steps;
    const bool is_counted = node_.has(0) && !is_endless && !is_bounded;
    if (is_counted || is_read(body_, body_.inputs[0].name)) part.add_counter(body_.inputs[0]);
    for (std::size_t i = 0; i < carries_; ++i)
      part.add_carry(body_.inputs[2 + i], body_.outputs[1 + i], node_.value(2 + i));
    const Value goes_on = part.output(body_.outputs[0]);
    if ((!node_.has(0) || is_endless) && goes_on.known && !is_false(goes_on))
      refuse("it never ends");
    const Value begins = node_.has(1) ? node_.value(1) : known_true();
    const Connection first = as_scalar(at_.scope.workspace->connection(begins));
    part.add_flag(body_.outputs[0], first);
    const auto trips = is_counted ? std::optional(node_.value(0)) : std::nullopt;
    const auto made = part.repeated(trips, is_bounded ? steps_ : std::nullopt);
    return made ? placed(*made) : missing_outputs(at_);
  }

  // Steps one after the other, of which each may have other sizes.
  Outputs unrolled() {
    if (!is_begun_) refuse("its condition depends on data, and it passes on sequences");
    if (node_.has(0) && !steps_)
      refuse("its number of steps depends on data, and it passes on sequences");
    std::vector<Value> values = first_values();
    std::vector<std::vector<Connection>> stacks(stacks_.size());
    std::vector<ElementType> types(stacks_.size());
    for (std::int64_t step = 0; !steps_ || step < *steps_; ++step) {
      if (step == most_steps) refuse("it has more than " + std::to_string(most_steps) + " steps");
      Scope inner = at_.inner(body_, *at_.scope.workspace);
      inner.is_repeated = true;
      inner.values[body_.inputs[0].name] = known_int(step);
      inner.values[body_.inputs[1].name] = known_true();
      for (std::size_t i = 0; i < carries_; ++i) inner.values[body_.inputs[2 + i].name] = values[i];
      at_.importer.open(inner);
      const Value goes_on = at_.importer.need(inner, body_.outputs[0].name);
      for (std::size_t i = 0; i < carries_; ++i)
        values[i] = at_.importer.need(inner, body_.outputs[1 + i].name);
      for (std::size_t i = 0; i < stacks_.size(); ++i) {
        const Value value = at_.importer.need(inner, stacks_[i]->name);
        if (value.is_missing) return missing_outputs(at_);
        stacks[i].push_back(expanded(part_output(*at_.scope.workspace, value), {0}));
        types[i] = value.type;
      }
      if (goes_on.is_missing || is_any_missing(values)) return missing_outputs(at_);
      const bool is_last = steps_ && step + 1 == *steps_;
      if (!goes_on.known && !is_last) refuse("its condition depends on data");
      if (is_false(goes_on)) break;
    }
    for (std::size_t i = 0; i < stacks_.size(); ++i)
      values.emplace_back(joined(stacks[i], 0), types[i]);
    return placed(std::move(values));
  }

  const GraphNode& at_;
  const NodeContext& node_;
  const GraphRecord& body_;
  std::size_t carries_ = 0;
  std::vector<const ValueRecord*> stacks_;
  std::optional<std::int64_t> steps_;  // none: not known
  bool is_begun_ = false;              // whether the first condition is known to be true
};

std::vector<std::int64_t> numbers_of_scan(const NodeContext& node, const char* name,
                                          std::size_t count) {
  return node.integers(name, count, -most_number, 0);
}

// Moves the axis to the front. `is_back`: moves the first axis to its place.
Connection with_axis_first(const Connection& x, std::int64_t axis, const NodeContext& node,
                           bool is_back) {
  if (axis == 0) return x;
  const auto sizes = sizes_of(x);
  if (!sizes) refuse("it moves an axis of a tensor whose rank is not known");
  std::vector<std::int64_t> order = range_to(sizes->size());
  const auto at = order.begin() + node.axis(axis, sizes->size());
  if (is_back) {
    std::rotate(order.begin(), order.begin() + 1, at + 1);
  } else {
    std::rotate(order.begin(), at, at + 1);
  }
  return transposed(x, order);
}

Connection flipped(const Connection& x) { return apply("flip", {x, 0}); }

// Inputs: carries and sequences. Outputs of the body: the next carries, and values to stack.
Outputs scan_of(const GraphNode& at, const std::vector<Value>& inputs) {
  const NodeContext& node = at.node;
  const GraphRecord& body = at.graph("body");
  const auto sequences = static_cast<std::size_t>(within("its attribute 'num_scan_inputs'",
                                                         node.integer("num_scan_inputs"), 1,
                                                         static_cast<std::int64_t>(inputs.size())));
  const std::size_t carries = inputs.size() - sequences;
  if (body.inputs.size() != inputs.size() || body.outputs.size() < carries)
    refuse("its body has " + std::to_string(body.inputs.size()) + " inputs and " +
           std::to_string(body.outputs.size()) + " outputs, and it has " +
           std::to_string(inputs.size()) + " inputs and passes on " + std::to_string(carries));
  const std::size_t stacked = body.outputs.size() - carries;
  const auto axes = numbers_of_scan(node, "scan_input_axes", sequences);
  const auto directions =
      numbers_of_scan(node, node.opset() < 9 ? "directions" : "scan_input_directions", sequences);
  const auto output_axes = numbers_of_scan(node, "scan_output_axes", stacked);
  const auto output_directions = numbers_of_scan(node, "scan_output_directions", stacked);
  // A loop has one direction. What goes the other way is flipped.
  const bool is_reversed = directions.front() != 0;
  LoopPart part(at, body);
  for (std::size_t i = 0; i < carries; ++i)
    part.add_carry(body.inputs[i], body.outputs[i], inputs[i]);
  for (std::size_t i = 0; i < sequences; ++i) {
    const Value& input = inputs[carries + i];
    if (input.is_sequence || input.is_empty)
      refuse("its input " + in_quotes(input.name) + " is not a tensor");
    const Connection moved =
        with_axis_first(at.scope.workspace->connection(input), axes[i], node, false);
    const bool is_other = (directions[i] != 0) != is_reversed;
    part.add_sequence(body.inputs[carries + i], is_other ? flipped(moved) : moved, input.type);
  }
  std::vector<const ValueRecord*> stacks;
  for (std::size_t i = 0; i < stacked; ++i)
    if (node.wants(carries + i)) stacks.push_back(&body.outputs[carries + i]);
  const auto made = part.scanned(stacks, std::nullopt, is_reversed);
  if (!made) return missing_outputs(at);
  Outputs outputs(made->begin(), made->begin() + static_cast<std::ptrdiff_t>(carries));
  std::size_t next = carries;
  for (std::size_t i = 0; i < stacked; ++i) {
    outputs.emplace_back();
    if (!node.wants(carries + i)) continue;
    const Value& value = (*made)[next++];
    const bool is_other = (output_directions[i] != 0) != is_reversed;
    const Connection ordered = is_other ? flipped(*value.connection) : *value.connection;
    outputs.back() = Value(with_axis_first(ordered, output_axes[i], node, true), value.type);
  }
  return outputs;
}

// Before opset 9 the first input is the lengths of the samples, and the others have them along the
// first axis.
Outputs scan_of_samples(const GraphNode& at) {
  const NodeContext& node = at.node;
  if (node.has(0)) refuse("lengths of its samples are not supported");
  if (node.count() < 2) refuse("it has no sequences");
  node.need_rank(1, 1);
  const Size samples = node.sizes(1)[0];
  const auto* count = std::get_if<std::int64_t>(&samples);
  if (!count) refuse("it needs the number of samples", "shapes= of the inputs states it");
  within("the number of samples", *count, 1, most_items);
  std::vector<std::vector<Connection>> parts;
  Outputs outputs;
  for (std::int64_t sample = 0; sample < *count; ++sample) {
    std::vector<Value> inputs;
    for (std::size_t i = 1; i < node.count(); ++i)
      inputs.emplace_back(apply("gather", {node[i], sample, 0}), node.type(i));
    outputs = scan_of(at, inputs);
    if (is_any_missing(outputs)) return outputs;
    parts.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].connection) parts[i].push_back(expanded(*outputs[i].connection, {0}));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!parts[i].empty()) outputs[i] = Value(joined(parts[i], 0), outputs[i].type);
  return outputs;
}

}  // namespace

Outputs loop_outputs(const GraphNode& at) { return LoopNode(at).outputs(); }

Outputs scan_outputs(const GraphNode& at) {
  return at.node.opset() < 9 ? scan_of_samples(at) : scan_of(at, at.node.values());
}

}  // namespace mithril::onnx
