#include "mithril/comparison/reference_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/random.hpp"
#include "mithril/comparison/value_mismatch.hpp"
#include "mithril/eval/run_node.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr int rounding_tries = 4;
constexpr double rounding_steps = 2;  // the change of an element, in units of its last place

// Each float a little larger or smaller.
Tensor rounded_otherwise(const Tensor& tensor, Random& random) {
  if (!is_floating(tensor.dtype())) return tensor;
  const double amount = rounding_steps * epsilon_of(tensor.dtype());
  Tensor wide = tensor.to(DType::float64);
  for (double& element : wide.mutable_values<double>())
    element *= random.next() % 2 == 0 ? 1 + amount : 1 - amount;
  return wide.to(tensor.dtype());
}

ShapeSpec fixed_shape(const Dims& dims) {
  std::vector<DimSpec> sizes;
  for (const std::int64_t dim : dims) sizes.emplace_back(dim);
  return ShapeSpec(std::move(sizes));
}

}  // namespace

ReferenceRun::ReferenceRun(Graph graph, std::vector<Tensor> inputs, Backend& backend,
                           const LoadOptions& options)
    : graph_(std::move(graph)),
      values_(graph_.values().size()),
      constant_(graph_.values().size()),
      plan_(make_plan(graph_, SizeSources(graph_), inputs)) {
  for (const Constant& constant : graph_.constants()) {
    constant_[index(constant.value)] = true;
    values_[index(constant.value)] = constant.tensor.host();
  }
  Graph whole = graph_;
  whole.keep_outputs(0);
  for (const Node& node : graph_.nodes()) {
    for (const ValueId id : node.outputs) whole.add_output(graph_.value(id).name, id);
  }
  const std::vector<Tensor> made = backend.load(whole, options)->run(inputs);
  for (size_t i = 0; i < made.size(); ++i)
    values_[index(whole.outputs()[i].value)] = made[i].host();
  for (size_t i = 0; i < inputs.size(); ++i)
    values_[index(graph_.inputs()[i])] = std::move(inputs[i]);
}

std::vector<Tensor> ReferenceRun::values(const std::vector<ValueId>& ids) const {
  std::vector<Tensor> all;
  all.reserve(ids.size());
  for (const ValueId id : ids) all.push_back(value(id));
  return all;
}

Value ReferenceRun::fixed_value(ValueId id) const {
  const Tensor& tensor = value(id);
  return {.name = graph_.value(id).name,
          .dims = std::vector<Dim>(tensor.dims().begin(), tensor.dims().end()),
          .dtype = graph_.value(id).dtype};
}

// Copies nodes to a graph of fixed sizes.
class ReferenceRun::Cutting {
 public:
  Cutting(const ReferenceRun& run, std::string prefix) : run_(run), prefix_(std::move(prefix)) {
    cut_.graph.set_default_dtype(run.graph_.default_dtype());
  }

  // `reads_made`: whether it may read results of nodes that were added before.
  void add(size_t i, bool reads_made) {
    const Node& old = run_.graph_.nodes()[i];
    Node node{old.op, old.arguments, {}};
    for (size_t k = 0; k < node.arguments.size(); ++k) {
      const ValueId* id = tensor_of(old.arguments[k]);
      node.arguments[k] =
          id ? Argument(reading(*id, reads_made)) : Argument(run_.plan_.nodes[i].values[k]);
    }
    for (const ValueId id : old.outputs) {
      node.outputs.push_back(cut_.graph.add_value(run_.fixed_value(id)));
      made_[id] = node.outputs.back();
    }
    cut_.graph.add_node(std::move(node));
  }

  void give(ValueId id) {
    cut_.graph.add_output(run_.graph_.value(id).name, made_.at(id));
    cut_.outputs.push_back(id);
  }

  GraphCut finish() { return std::move(cut_); }

 private:
  ValueId reading(ValueId id, bool reads_made) {
    if (const auto made = made_.find(id); reads_made && made != made_.end()) return made->second;
    if (const auto given = given_.find(id); given != given_.end()) return given->second;
    Value value = run_.fixed_value(id);
    value.name = prefix_ + value.name;
    if (run_.constant_[index(id)]) {
      return given_[id] = cut_.graph.add_constant(value.name, run_.value(id));
    }
    cut_.inputs.push_back(id);
    return given_[id] = cut_.graph.add_input(std::move(value));
  }

  const ReferenceRun& run_;
  const std::string prefix_;
  GraphCut cut_;
  std::map<ValueId, ValueId> given_, made_;
};

GraphCut ReferenceRun::apart(const std::vector<size_t>& nodes) const {
  std::string prefix = "given.";
  const auto taken = [&](const Value& value) { return value.name.starts_with(prefix); };
  while (std::any_of(graph_.values().begin(), graph_.values().end(), taken)) prefix += "given.";
  Cutting cutting(*this, prefix);
  for (const size_t i : nodes) {
    cutting.add(i, false);
    for (const ValueId id : graph_.nodes()[i].outputs) cutting.give(id);
  }
  return cutting.finish();
}

GraphCut ReferenceRun::together(const std::vector<size_t>& nodes, ValueId output) const {
  Cutting cutting(*this, "");
  for (const size_t i : nodes) cutting.add(i, true);
  cutting.give(output);
  return cutting.finish();
}

std::vector<bool> ReferenceRun::made_by(const std::vector<size_t>& nodes) const {
  std::vector<bool> made(graph_.values().size());
  for (const size_t i : nodes) {
    for (const ValueId id : graph_.nodes()[i].outputs) made[index(id)] = true;
  }
  return made;
}

std::vector<size_t> ReferenceRun::nodes_before(ValueId value) const {
  std::vector<size_t> all(graph_.nodes().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return nodes_before(value, all);
}

std::vector<size_t> ReferenceRun::nodes_before(ValueId value,
                                               const std::vector<size_t>& among) const {
  std::vector<bool> needed(graph_.values().size());
  needed[index(value)] = true;
  std::vector<size_t> nodes;
  for (size_t next = among.size(); next-- > 0;) {
    const size_t i = among[next];
    const Node& node = graph_.nodes()[i];
    const bool makes = std::any_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId id) { return needed[index(id)]; });
    if (!makes) continue;
    nodes.push_back(i);
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) needed[index(*id)] = true;
    }
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

double ReferenceRun::rounding(const std::vector<size_t>& nodes, ValueId value,
                              std::uint64_t seed) const {
  const auto has_reference = [&](size_t i) { return graph_.nodes()[i].op->eval != nullptr; };
  if (!std::all_of(nodes.begin(), nodes.end(), has_reference)) return 0;
  const std::vector<bool> made = made_by(nodes);
  Random random(seed, graph_.value(value).name);
  double largest = 0;
  for (int attempt = 0; attempt < rounding_tries; ++attempt) {
    std::optional<Tensor> changed;
    try {
      changed = rounded_value(nodes, value, made, random);
    } catch (const Error&) {
      // An op refuses numbers that it accepted. Backends compute a single node from equal inputs.
      if (nodes.size() > 1) return std::numeric_limits<double>::infinity();
      continue;
    }
    const auto change = value_mismatch(*changed, values_[index(value)], 0);
    if (change) largest = std::max(largest, change->difference);
  }
  return largest;
}

Tensor ReferenceRun::rounded_value(const std::vector<size_t>& nodes, ValueId value,
                                   const std::vector<bool>& made, Random& random) const {
  Values values(values_.size());
  for (const size_t i : nodes) {
    for (const Argument& argument : graph_.nodes()[i].arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && !made[index(*id)] && !values[index(*id)])
        values[index(*id)] = rounded_otherwise(values_[index(*id)], random);
    }
    run_node(plan_.nodes[i], graph_, values);
    for (const ValueId id : graph_.nodes()[i].outputs) {
      if (id != value) values[index(id)] = rounded_otherwise(*values[index(id)], random);
    }
  }
  return *values[index(value)];
}

ReducedFailure ReferenceRun::as_model(const std::vector<size_t>& nodes, ValueId output) const {
  const std::vector<bool> made = made_by(nodes);
  std::map<ValueId, std::string> names;
  std::vector<std::pair<ValueId, std::string>> inputs;
  const auto name_of = [&](ValueId id) {
    const auto known = names.find(id);
    if (known != names.end()) return known->second;
    std::string name = id == output      ? "output"
                       : made[index(id)] ? "v" + std::to_string(names.size())
                                         : "x" + std::to_string(inputs.size());
    if (!made[index(id)]) inputs.emplace_back(id, name);
    return names[id] = std::move(name);
  };
  ReducedFailure reduced{.nodes = nodes.size()};
  for (const size_t i : nodes) {
    const Node& node = graph_.nodes()[i];
    const auto binding = [&](size_t k) {
      const ValueId* id = tensor_of(node.arguments[k]);
      return id ? Binding(name_of(*id)) : Binding(plan_.nodes[i].values[k]);
    };
    Bindings bindings;
    size_t next = 0;
    for (const PortDef& port : node.op->inputs) {
      const size_t count = port.list ? node.list_size() : 1;
      std::vector<Binding> items;
      for (size_t k = 0; k < count; ++k) items.push_back(binding(next + k));
      const bool left_out =
          !port.list && !tensor_of(node.arguments[next]) && plan_.nodes[i].values[next].is_none();
      if (!left_out) bindings.emplace_back(port.name, port.list ? Binding(items) : items.front());
      next += count;
    }
    std::vector<Binding> results;
    for (const ValueId id : node.outputs) results.emplace_back(name_of(id));
    const bool list = !node.op->outputs.empty() && node.op->outputs.front().list;
    for (size_t k = 0; k < node.op->outputs.size(); ++k) {
      bindings.emplace_back(node.op->outputs[k].name, list ? Binding(results) : results[k]);
    }
    reduced.model |= Model::op(node.op->name)(bindings);
  }
  for (const auto& [id, name] : inputs) {
    reduced.model.set_types({{name, tensor_kind(value(id).dtype())}});
    reduced.model.set_shapes({{name, fixed_shape(value(id).dims())}});
    reduced.data[name] = value(id).copy();
  }
  reduced.model.expose_keys({"output"});
  return reduced;
}

}  // namespace mithril
