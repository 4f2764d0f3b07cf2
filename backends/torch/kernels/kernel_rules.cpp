#include "backends/torch/kernels/kernel_rules.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "backends/torch/device/kernel_device.hpp"
#include "codegen/cuda/kernel.hpp"
#include "codegen/cuda/rows.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

// One block computes a row. Torch computes longer ones by several.
constexpr int64_t most_width = 1 << 14;

bool contains(KernelRules::Nodes nodes, size_t node) {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

// Numbers that depend on sizes are part of the text, so each size would need another compilation.
bool depends_on_sizes(const Node& node) {
  return std::any_of(node.arguments.begin(), node.arguments.end(), [](const Argument& argument) {
    const Datum* number = std::get_if<Datum>(&argument);
    return number && is_symbolic(*number);
  });
}

}  // namespace

std::vector<ValueId> values_read_by(const PlannedNode& node) {
  std::vector<ValueId> values;
  for (const int32_t at : node.tensors) {
    if (at >= 0) values.push_back(static_cast<ValueId>(at));
  }
  return values;
}

KernelRules::KernelRules(const Graph& graph, const TorchProgram& program)
    : graph_(graph),
      program_(program),
      producers_(graph.values().size(), no_node),
      dims_(program.plan.dims_of_values(graph)) {
  for (size_t i = 0; i < nodes().size(); ++i) {
    for (const ValueId id : nodes()[i].outputs) producers_[index(id)] = i;
    rows_.push_back(row_dims(graph, program.plan, i));
    has_kernel_.push_back(makes_kernel(i));
  }
}

// Views and host ops have none.
bool KernelRules::makes_kernel(size_t node) const {
  const PlannedNode& planned = nodes()[node];
  const size_t one[] = {node};
  return !planned.op->keeps_elements && !program_.nodes[node].calls.empty() &&
         !depends_on_sizes(graph_.nodes()[node]) &&
         !(rows_[node] && rows_[node]->back() > most_width) &&
         cuda_kernel(graph_, program_.plan, one, planned.outputs, kernel_name);
}

bool KernelRules::may_share(Nodes from, Nodes to) const {
  const auto reduces = [&](size_t node) { return rows_[node].has_value(); };
  const bool of_rows =
      std::any_of(from.begin(), from.end(), reduces) || std::any_of(to.begin(), to.end(), reduces);
  const bool fit = of_rows ? may_share_rows(from, to)
                           : nodes()[from.front()].output_dims == nodes()[to.front()].output_dims;
  return fit && has_few_inputs(from, to);
}

bool KernelRules::may_share_rows(Nodes from, Nodes to) const {
  const Dims* rows = nullptr;
  for (const Nodes part : {from, to}) {
    for (const size_t node : part) {
      if (!rows_[node]) continue;
      if (rows && *rows != *rows_[node]) return false;
      rows = &*rows_[node];
    }
  }
  Dims numbers = *rows;
  numbers.back() = 1;
  const auto fits = [&](const Dims& dims) { return dims == *rows || dims == numbers; };
  for (const Nodes part : {from, to}) {
    for (const size_t node : part) {
      if (!rows_[node] && !fits(nodes()[node].output_dims.front())) return false;
      for (const ValueId id : values_read_by(nodes()[node])) {
        const size_t by = producer(id);
        if ((contains(from, by) || contains(to, by)) && !fits(dims_of(id))) return false;
      }
    }
  }
  return true;
}

bool KernelRules::has_few_inputs(Nodes from, Nodes to) const {
  std::unordered_set<ValueId> read;
  for (const Nodes part : {from, to}) {
    for (const size_t node : part) {
      for (const ValueId id : values_read_by(nodes()[node])) {
        if (!contains(from, producer(id)) && !contains(to, producer(id))) read.insert(id);
      }
    }
  }
  return read.size() <= static_cast<size_t>(CudaLayout::most_inputs);
}

}  // namespace mithril::torch_backend
