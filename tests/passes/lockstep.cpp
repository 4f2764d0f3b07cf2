#include "tests/passes/lockstep.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "mithril/eval/run_node.hpp"
#include "mithril/graph/wide_integers.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {
namespace {

// Combines the tensors of all processes, in the order of their ranks.
Tensor combined(const std::vector<Tensor>& terms, const std::string& reduction) {
  for (const Tensor& term : terms) {
    if (term.dims() != terms.front().dims() || term.dtype() != terms.front().dtype())
      throw std::logic_error("processes reduce tensors of different sizes: " +
                             to_string(terms.front().dims()) + " and " + to_string(term.dims()));
  }
  if (terms.front().dtype() == DType::boolean && reduction == "sum")
    throw std::logic_error("processes add up bools");
  Tensor total = terms.front().copy();
  visit_dtype(total.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = total.mutable_data<T>();
    for (size_t rank = 1; rank < terms.size(); ++rank) {
      const T* from = terms[rank].template data<T>();
      for (int64_t i = 0; i < total.size(); ++i) {
        const auto a = static_cast<double>(to[i]), b = static_cast<double>(from[i]);
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, int32_t>) {
          to[i] = reduction == "sum"   ? to[i] + from[i]
                  : reduction == "max" ? std::max(to[i], from[i])
                                       : std::min(to[i], from[i]);
        } else {
          const double result = reduction == "sum"               ? a + b
                                : std::isnan(a) || std::isnan(b) ? a + b
                                : reduction == "max"             ? std::max(a, b)
                                                                 : std::min(a, b);
          to[i] = static_cast<T>(result);
        }
      }
    }
  });
  return total;
}

struct Process {
  Process(const Graph& of, const std::vector<Tensor>& inputs)
      : graph(of), sizes(of), planner(of, sizes, inputs), values(of.values().size()) {
    for (size_t i = 0; i < inputs.size(); ++i) values[index(of.inputs()[i])] = inputs[i];
    for (const Constant& constant : of.constants())
      values[index(constant.value)] = constant.tensor.host();
  }
  const Graph& graph;
  const SizeSources sizes;
  Planner planner;
  Values values;
};

// `from` rows of the tensor along the axis, which has outer * rows elements.
Tensor rows_of(const Tensor& whole, const Placement& placement, int64_t batch, int64_t from,
               int64_t to) {
  const Dims& dims = whole.dims();
  int64_t before = placement.outer, width = static_cast<int64_t>(size_of(whole.dtype()));
  for (size_t i = 0; i < placement.axis; ++i) before *= dims[i];
  for (size_t i = placement.axis + 1; i < dims.size(); ++i) width *= dims[i];
  const int64_t inner = dims[placement.axis] / (placement.outer * std::max<int64_t>(batch, 1));
  width *= inner;
  Dims part = dims;
  part[placement.axis] = placement.outer * (to - from) * inner;
  Tensor rows(whole.dtype(), part);
  const auto* source = static_cast<const std::byte*>(whole.raw_data());
  auto* target = static_cast<std::byte*>(rows.mutable_raw_data());
  const int64_t length = (to - from) * width;
  for (int64_t i = 0; i < before && length > 0; ++i)
    std::memcpy(target + i * length, source + (i * batch + from) * width,
                static_cast<size_t>(length));
  return rows;
}

Tensor joined_rows(const std::vector<Tensor>& parts, const Placement& placement) {
  Dims dims = parts.front().dims();
  dims[placement.axis] = 0;
  for (const Tensor& part : parts) dims[placement.axis] += part.dims()[placement.axis];
  Tensor whole(parts.front().dtype(), dims);
  int64_t before = placement.outer;
  for (size_t i = 0; i < placement.axis; ++i) before *= dims[i];
  auto* target = static_cast<std::byte*>(whole.mutable_raw_data());
  for (int64_t i = 0; i < before; ++i) {
    for (const Tensor& part : parts) {
      const size_t length = part.bytes() / static_cast<size_t>(before);
      if (length == 0) continue;
      std::memcpy(target,
                  static_cast<const std::byte*>(part.raw_data()) + static_cast<size_t>(i) * length,
                  length);
      target += length;
    }
  }
  return whole;
}

// Runs node i, all_reduce_start, for the processes of each group of this name together.
void all_reduce(const std::vector<std::unique_ptr<Process>>& processes, size_t i,
                const GroupsByName& groups) {
  const Node& node = processes.front()->graph.nodes()[i];
  const std::string reduction =
      std::get<Datum>(node.arguments[node.argument_index("reduction")]).text();
  std::vector<size_t> all(processes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const auto named =
      groups.find(std::get<Datum>(node.arguments[node.argument_index("group")]).text());
  const std::vector<std::vector<size_t>> every = {all};
  for (const std::vector<size_t>& members : named == groups.end() ? every : named->second) {
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      std::vector<Tensor> terms;
      for (const size_t member : members) {
        const Process& process = *processes[member];
        const ValueId term = std::get<ValueId>(process.graph.nodes()[i].arguments[k]);
        terms.push_back(*process.values[index(term)]);
      }
      const Tensor total = combined(terms, reduction);
      for (const size_t member : members) {
        Process& process = *processes[member];
        process.values[index(process.graph.nodes()[i].outputs[k])] = total;
      }
    }
  }
}

// As backends do: the nodes that the pass adds may have integers of other widths.
void widen(PlacedGraph& placed) { placed.graph = with_wide_integers(placed.graph); }

}  // namespace

std::vector<PlacedGraph> place_all(const Graph& graph, PlacementOptions options, int size) {
  std::vector<PlacedGraph> placed;
  options.size = size;
  for (options.rank = 0; options.rank < size; ++options.rank) {
    placed.push_back(place(graph, options));
    widen(placed.back());
  }
  return placed;
}

std::vector<std::vector<Tensor>> run_lockstep(const std::vector<PlacedGraph>& placed,
                                              const std::vector<std::vector<Tensor>>& inputs,
                                              const GroupsByName& groups) {
  std::vector<std::unique_ptr<Process>> processes;
  for (size_t rank = 0; rank < placed.size(); ++rank)
    processes.push_back(std::make_unique<Process>(placed[rank].graph, inputs[rank]));
  for (size_t i = 0; i < placed.front().graph.nodes().size(); ++i) {
    const Node& node = placed.front().graph.nodes()[i];
    const bool reduces = node.op->name == "all_reduce_start";
    for (const auto& process : processes) {
      if (process->graph.nodes()[i].op != node.op)
        throw std::logic_error("processes run different nodes");
      const PlannedNode planned = process->planner.next();
      if (!reduces) run_node(planned, process->graph, process->values);
    }
    if (reduces) all_reduce(processes, i, groups);
  }
  std::vector<std::vector<Tensor>> outputs;
  for (const auto& process : processes) {
    std::vector<Tensor>& own = outputs.emplace_back();
    for (const Output& output : process->graph.outputs())
      own.push_back(*process->values[index(output.value)]);
  }
  return outputs;
}

std::vector<std::vector<Tensor>> cut(const std::vector<PlacedGraph>& placed,
                                     const std::vector<Tensor>& inputs) {
  // An input may have several elements for each row.
  int64_t batch = INT64_MAX;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Placement& placement = placed.front().inputs[i];
    if (placement.is_sharded())
      batch = std::min(batch, inputs[i].dims()[placement.axis] / placement.outer);
  }
  const auto size = static_cast<int64_t>(placed.size());
  std::vector<std::vector<Tensor>> parts(placed.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Placement& placement = placed.front().inputs[i];
    for (int64_t rank = 0; rank < size; ++rank) {
      std::vector<Tensor>& own = parts[static_cast<size_t>(rank)];
      if (placement.is_sharded()) {
        own.push_back(rows_of(inputs[i].host(), placement, batch, batch * rank / size,
                              batch * (rank + 1) / size));
      } else if (placement.is_partial() && rank > 0) {
        own.emplace_back(inputs[i].dtype(), inputs[i].dims());
      } else {
        own.push_back(inputs[i]);
      }
    }
  }
  return parts;
}

std::vector<Tensor> join(const std::vector<PlacedGraph>& placed,
                         const std::vector<std::vector<Tensor>>& outputs) {
  std::vector<Tensor> whole;
  for (size_t i = 0; i < outputs.front().size(); ++i) {
    const Placement& placement = placed.front().outputs[i];
    std::vector<Tensor> parts;
    for (const std::vector<Tensor>& own : outputs) parts.push_back(own[i]);
    if (placement.is_sharded()) {
      whole.push_back(joined_rows(parts, placement));
    } else if (placement.is_partial()) {
      whole.push_back(combined(parts, "sum"));
    } else {
      for (const Tensor& part : parts) {
        if (!identical(part, parts.front()))
          throw std::logic_error("processes differ in '" + placed.front().graph.outputs()[i].name +
                                 "'");
      }
      whole.push_back(parts.front());
    }
  }
  return whole;
}

std::vector<Tensor> run_placed(const Graph& graph, const PlacementOptions& options, int size,
                               const std::vector<Tensor>& inputs) {
  const std::vector<PlacedGraph> placed = place_all(graph, options, size);
  for (const PlacedGraph& own : placed) verify(own.graph);
  return join(placed, run_lockstep(placed, cut(placed, inputs)));
}

std::vector<PlacedGraph> shard_all(const Graph& graph, ShardOptions options, int size) {
  std::vector<PlacedGraph> sharded;
  options.size = size;
  for (options.rank = 0; options.rank < size; ++options.rank) {
    sharded.push_back(shard(graph, options));
    widen(sharded.back());
  }
  return sharded;
}

std::vector<std::vector<Tensor>> cut_blocks(const std::vector<PlacedGraph>& sharded,
                                            const std::vector<Tensor>& inputs) {
  const auto size = static_cast<int64_t>(sharded.size());
  std::vector<std::vector<Tensor>> parts(sharded.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Placement& placement = sharded.front().inputs[i];
    for (int64_t rank = 0; rank < size; ++rank) {
      parts[static_cast<size_t>(rank)].push_back(
          placement.is_sharded() ? rows_of(inputs[i].host(), placement, size, rank, rank + 1)
                                 : inputs[i]);
    }
  }
  return parts;
}

std::vector<Tensor> run_sharded(const Graph& graph, const ShardOptions& options, int size,
                                const std::vector<Tensor>& inputs) {
  const std::vector<PlacedGraph> sharded = shard_all(graph, options, size);
  for (const PlacedGraph& own : sharded) verify(own.graph);
  return join(sharded, run_lockstep(sharded, cut_blocks(sharded, inputs)));
}

}  // namespace mithril::tests
