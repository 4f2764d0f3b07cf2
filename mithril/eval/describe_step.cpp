#include "mithril/eval/describe_step.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/op_work.hpp"

namespace mithril {
namespace {

constexpr size_t none = SIZE_MAX;
// What the names of values begin with that differentiation and optimizers add.
constexpr std::string_view gradient_prefix = "grad.", update_prefix = "optimizer.";

// "encoder.fc1.output": "encoder.fc1"; "hidden": nothing.
std::string without_last(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? std::string() : std::string(name.substr(0, dot));
}

std::string phase_of(std::string_view name) {
  if (name.starts_with(gradient_prefix)) return "backward";
  return name.starts_with(update_prefix) ? "update" : "forward";
}

// The tensors of a node.
class NodeTensors {
 public:
  NodeTensors(const Node& node, const PlannedNode& planned, const std::vector<const Dims*>& dims)
      : inputs_(planned.tensors.size()) {
    for (const int32_t id : planned.tensors)
      tensors_.push_back(id >= 0 ? dims[static_cast<size_t>(id)] : nullptr);
    for (const ValueId id : node.outputs) tensors_.push_back(dims[index(id)]);
    if (!planned.values.empty()) last_value_ = &planned.values.back();
  }

  OpTensors get() const {
    const std::span<const Dims* const> all = tensors_;
    return {
        .inputs = all.first(inputs_), .outputs = all.subspan(inputs_), .last_value = last_value_};
  }

 private:
  const size_t inputs_;
  std::vector<const Dims*> tensors_;
  const Datum* last_value_ = nullptr;
};

// The elements of each value that one of the nodes reads.
std::map<ValueId, std::int64_t> elements_read_by(std::span<const size_t> nodes, const Graph& graph,
                                                 const Plan& plan,
                                                 const std::vector<const Dims*>& dims) {
  std::map<ValueId, std::int64_t> read;
  for (const size_t at : nodes) {
    const Node& node = graph.nodes()[at];
    const PlannedNode& planned = plan.nodes[at];
    const NodeTensors tensors(node, planned, dims);
    for (size_t i = 0; i < planned.tensors.size(); ++i) {
      if (planned.tensors[i] < 0) continue;
      std::int64_t& elements = read[static_cast<ValueId>(planned.tensors[i])];
      elements = std::max(elements, elements_read(*node.op, tensors.get(), i));
    }
  }
  return read;
}

// The part that owns a parameter which the producer of `value` reads. If passes replaced one op by
// several, whose names begin with `prefix`, their parameters count, too. `producers`: per value,
// the index of its node.
std::string owner_of_parameter(const Graph& graph, const std::vector<size_t>& producers,
                               ValueId value, const std::string& prefix) {
  for (const Argument& argument : graph.nodes()[producers[index(value)]].arguments) {
    const ValueId* id = tensor_of(argument);
    if (!id) continue;
    const std::string& read = graph.value(*id).name;
    std::string owner;
    if (producers[index(*id)] == none)
      owner = without_last(read);
    else if (read.starts_with(prefix))
      owner = owner_of_parameter(graph, producers, *id, prefix);
    if (!owner.empty()) return owner;
  }
  return {};
}

}  // namespace

StepDescriber::StepDescriber(const Graph& graph, const Plan& plan)
    : graph_(graph),
      plan_(plan),
      dims_(plan.dims_of_values(graph)),
      producer_(graph.values().size(), none),
      readers_(graph.values().size()),
      is_output_(graph.values().size()) {
  for (size_t node = 0; node < graph.nodes().size(); ++node) {
    for (const Argument& argument : graph.nodes()[node].arguments) {
      if (const ValueId* id = tensor_of(argument)) readers_[index(*id)].push_back(node);
    }
    for (const ValueId id : graph.nodes()[node].outputs) {
      producer_[index(id)] = node;
      by_name_.emplace(graph.value(id).name, id);
    }
  }
  for (const Output& output : graph.outputs()) is_output_[index(output.value)] = true;
  prefix_ = find_prefix();
}

// What "model.fc1.output" has before the "fc1" of "fc1.weight".
std::string StepDescriber::find_prefix() const {
  for (const Node& node : graph_.nodes()) {
    const std::string owner = without_last(graph_.value(node.outputs.front()).name);
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (!id || producer_[index(*id)] != none) continue;
      const std::string of_parameter = without_last(graph_.value(*id).name);
      if (!of_parameter.empty() && owner.ends_with("." + of_parameter))
        return owner.substr(0, owner.size() - of_parameter.size());
    }
  }
  return {};
}

TracedStep StepDescriber::describe(std::span<const size_t> nodes, std::string kernel,
                                   bool counts) const {
  TracedStep step{.kernel = std::move(kernel)};
  if (nodes.empty()) return step;
  size_t main = nodes.front();  // the last node that does most of the work
  std::int64_t most = -1;
  for (const size_t node : nodes) {
    const std::int64_t done = operations(node);
    if (done >= most) most = done, main = node;
    if (counts) step.operations += done;
    step.ops.push_back(graph_.nodes()[node].op->name);
    step.name = graph_.value(graph_.nodes()[node].outputs.front()).name;
  }
  step.layer = layer_of(graph_.nodes()[main].outputs.front());
  step.phase = phase_of(graph_.value(graph_.nodes()[main].outputs.front()).name);
  const bool contains_graphs = has_nested_graphs(graph_.nodes()[main]);
  const auto elements = elements_read_by(nodes, graph_, plan_, dims_);
  for (const ValueId id : read_by(nodes)) {
    step.reads.push_back(tensor(id));
    const auto element_bytes = static_cast<std::int64_t>(size_of(graph_.value(id).dtype));
    if (counts && !contains_graphs) step.bytes += count_product(elements.at(id), element_bytes);
  }
  for (const ValueId id : written_by(nodes)) {
    step.writes.push_back(tensor(id));
    if (counts && !contains_graphs) step.bytes += bytes(id);
  }
  return step;
}

std::int64_t StepDescriber::operations(size_t at) const {
  const Node& node = graph_.nodes()[at];
  if (has_nested_graphs(node)) return 0;
  return operations_of(*node.op, NodeTensors(node, plan_.nodes[at], dims_).get());
}

// The tensors that other steps made, each once.
std::vector<ValueId> StepDescriber::read_by(std::span<const size_t> nodes) const {
  std::vector<ValueId> read;
  std::set<ValueId> seen;
  for (const size_t node : nodes) {
    for (const int32_t at : plan_.nodes[node].tensors) {
      if (at < 0) continue;
      const auto id = static_cast<ValueId>(at);
      const bool is_own =
          std::find(nodes.begin(), nodes.end(), producer_[index(id)]) != nodes.end();
      if (!is_own && seen.insert(id).second) read.push_back(id);
    }
  }
  return read;
}

// The tensors that other steps read, or the caller.
std::vector<ValueId> StepDescriber::written_by(std::span<const size_t> nodes) const {
  std::vector<ValueId> written;
  for (const size_t node : nodes) {
    for (const ValueId id : graph_.nodes()[node].outputs) {
      const auto& readers = readers_[index(id)];
      const bool stays =
          !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](size_t reader) {
            return std::find(nodes.begin(), nodes.end(), reader) != nodes.end();
          });
      if (is_output_[index(id)] || !stays) written.push_back(id);
    }
  }
  return written;
}

TracedTensor StepDescriber::tensor(ValueId id) const {
  const Value& value = graph_.value(id);
  return {value.name, std::string(name(value.dtype)), *dims_[index(id)]};
}

std::int64_t StepDescriber::bytes(ValueId id) const {
  return count_product(counted_elements(*dims_[index(id)]),
                       static_cast<std::int64_t>(size_of(graph_.value(id).dtype)));
}

// The part that makes the value of this name.
std::string StepDescriber::layer_of_value(std::string_view name) const {
  if (name.starts_with(update_prefix)) {  // "optimizer.fc1.weight.add_3"
    const std::string parameter = without_last(name.substr(update_prefix.size()));
    const std::string owner = without_last(parameter);
    return owner.empty() ? parameter : owner;
  }
  if (!name.starts_with(gradient_prefix)) {
    const std::string owner = without_last(name);
    if (owner.empty()) return std::string(name);
    // The ops in place of another op have its name before theirs: "loss.output.subtract_3".
    const auto whole = by_name_.find(owner);
    if (whole != by_name_.end()) return layer_of(whole->second);
    const bool has_prefix = !prefix_.empty() && owner.starts_with(prefix_);
    return has_prefix ? owner.substr(prefix_.size()) : owner;
  }
  const std::string of = without_last(name.substr(gradient_prefix.size()));  // "grad.h.matmul_17"
  const auto made = by_name_.find(of);
  if (made == by_name_.end() || made->first.starts_with(gradient_prefix))
    return layer_of_value(of.empty() ? name.substr(gradient_prefix.size()) : of);
  return layer_of(made->second);
}

// A key of the model is not a path: then it is the part whose parameter the node reads.
std::string StepDescriber::layer_of(ValueId value) const {
  const std::string& made = graph_.value(value).name;
  if (made.find('.') != made.npos) return layer_of_value(made);
  const std::string owner = owner_of_parameter(graph_, producer_, value, made + ".");
  return owner.empty() ? made : owner;
}

TracedStep describe_whole(const Graph& graph, const Plan& plan, std::string kernel) {
  std::vector<size_t> nodes(graph.nodes().size());
  std::iota(nodes.begin(), nodes.end(), size_t{0});
  TracedStep step = StepDescriber(graph, plan).describe(nodes, std::move(kernel));
  step.ops = {"whole graph"};
  return step;
}

}  // namespace mithril
