#include "backends/cpu/planned_graph.hpp"

#include <utility>

#include "backends/cpu/rewrite/legalize.hpp"
#include "mithril/eval/size_sources.hpp"
#include "mithril/graph/nested_graphs.hpp"

namespace mithril::cpu_backend {
namespace {

Config config_of_nested(Config config, const Graph& graph) {
  if (config.observer && !observes(*config.observer, graph)) config.observer = nullptr;
  config.donations.clear();
  config.is_nested = true;
  return config;
}

std::vector<bool> observed_nodes(const Graph& graph, const Config& config) {
  std::vector<bool> observed;
  for (const Node& node : graph.nodes()) {
    if (config.observer) observed.push_back(config.observer->wants(node));
  }
  return observed;
}

}  // namespace

PlannedGraph::PlannedGraph(const Graph& graph, const std::vector<Tensor>& inputs,
                           const LoweringContext& context, const std::vector<ValueId>& arguments,
                           size_t kept, bool begins_loop)
    : config_(config_of_nested(context.config, graph)),
      graph_(legalize(graph, config_)),
      packed_(graph_),
      plan_(make_execution_plan(graph_, make_plan(graph_, SizeSources(graph_), inputs), config_,
                                with_weights(context.packed, arguments, kept, begins_loop),
                                observed_nodes(graph_, config_))) {
  const std::vector<Dims> dims = output_dims();
  for (size_t k = 0; k < dims.size(); ++k) {
    const DType dtype = graph_.value(graph_.outputs()[k].value).dtype;
    output_bytes_.push_back(element_count(dims[k]) * static_cast<int64_t>(size_of(dtype)));
  }
}

PackedWeights& PlannedGraph::with_weights(PackedWeights& outer,
                                          const std::vector<ValueId>& arguments, size_t kept,
                                          bool begins_loop) {
  for (size_t i = kept; i < arguments.size(); ++i) {
    if (outer.can_pack(arguments[i])) {
      packed_.borrow(graph_.inputs()[i], outer, arguments[i]);
    } else if (begins_loop) {
      packed_.mark_invariant(graph_.inputs()[i]);
    }
  }
  return packed_;
}

std::vector<Dims> PlannedGraph::output_dims() const {
  const auto dims = plan_.shapes.dims_of_values(graph_);
  std::vector<Dims> made;
  for (const mithril::Output& output : graph_.outputs()) made.push_back(*dims[index(output.value)]);
  return made;
}

int64_t PlannedGraph::scratch_bytes() const {
  return aligned_bytes(plan_.memory.arena_bytes) +
         aligned_bytes(static_cast<int64_t>(plan_.memory.buffers * sizeof(std::byte*)));
}

void PlannedGraph::begin(std::byte* memory, std::span<std::byte*> bases) const {
  bases.front() = memory;
  for (const HeldConstant& held : plan_.constants)
    bases[held.base] = static_cast<std::byte*>(const_cast<void*>(held.tensor.raw_data()));
}

const std::byte* PlannedGraph::kept_result(const Result& result,
                                           std::span<std::byte* const> bases) const {
  if (result.from == Result::From::input) return bases[1 + result.index];
  return static_cast<const std::byte*>(plan_.constants[result.index].tensor.raw_data());
}

}  // namespace mithril::cpu_backend
