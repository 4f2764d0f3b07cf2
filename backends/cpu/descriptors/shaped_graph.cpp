#include "backends/cpu/descriptors/shaped_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "mithril/eval/node_error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::cpu_backend {

ShapedGraph::ShapedGraph(const Graph& graph, const Plan& plan)
    : graph_(graph),
      plan_(plan),
      dims_(plan.dims_of_values(graph)),
      counts_(dims_.size()),
      is_output_(dims_.size()),
      producer_(dims_.size(), no_node) {
  for (const Output& output : graph.outputs()) is_output_[index(output.value)] = true;
  for (const PlannedNode& node : plan.nodes) {
    std::vector<ValueId>& tensors = tensors_.emplace_back();
    for (const int32_t at : node.tensors) {
      if (at >= 0) tensors.push_back(static_cast<ValueId>(at));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      producer_[index(node.outputs[i])] = tensors_.size() - 1;
      try {
        counts_[index(node.outputs[i])] = element_count(node.output_dims[i]);
      } catch (const Error& error) {
        raise_at(graph, *node.op, node.outputs[i], error);
      }
    }
  }
  for (const ValueId id : graph.inputs()) counts_[index(id)] = element_count(dims(id));
  for (const Constant& constant : graph.constants()) {
    counts_[index(constant.value)] = constant.tensor.size();
  }
}

std::vector<std::vector<size_t>> ShapedGraph::producers() const {
  std::vector<std::vector<size_t>> producers(node_count());
  std::map<const OpDef*, size_t> last_collective;
  for (size_t i = 0; i < producers.size(); ++i) {
    for (const ValueId id : tensors(i)) {
      if (producer(id) != no_node) producers[i].push_back(producer(id));
    }
    if (!node(i).op->collective) continue;
    const auto [last, is_first] = last_collective.emplace(node(i).op, i);
    if (!is_first) producers[i].push_back(std::exchange(last->second, i));
  }
  return producers;
}

int64_t ShapedGraph::bytes(ValueId id) const {
  int64_t elements = count(id);
  if (is_in_blocks(id)) elements = element_count(dims_in_blocks(dims(id), layouts_.channels));
  return elements * static_cast<int64_t>(size_of(dtype(id)));
}

int64_t ShapedGraph::buffer_bytes(ValueId id) const {
  if (layouts_.padded.empty() || !layouts_.padded[index(id)]) return bytes(id);
  return round_up(count(id), layouts_.channels) * static_cast<int64_t>(size_of(dtype(id)));
}

std::string to_string(const ShapedGraph& shaped) {
  std::string text;
  for (size_t i = 0; i < shaped.graph().values().size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (!shaped.is_in_blocks(id)) continue;
    text += fmt::format("{}: NCHW{}c {}[{}]\n", shaped.graph().value(id).name,
                        shaped.channels_of_block(), name(shaped.dtype(id)),
                        fmt::join(shaped.dims(id), ", "));
  }
  return text;
}

std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>& observed) {
  std::vector<int> counts = use_counts(shaped.graph());
  for (size_t node = 0; node < observed.size(); ++node) {
    if (!observed[node]) continue;
    for (const ValueId id : shaped.node(node).outputs) ++counts[index(id)];
  }
  return counts;
}

Dims dims_in_blocks(const Dims& dims, int64_t channels) {
  constexpr size_t rank = 4;
  Dims all(rank + 1, 1);
  std::copy_backward(dims.begin(), dims.end(), all.begin() + rank);
  if (all[1] > 1) {
    all[1] = up(all[1], channels);
    all[rank] = channels;
  }
  return all;
}

}  // namespace mithril::cpu_backend
