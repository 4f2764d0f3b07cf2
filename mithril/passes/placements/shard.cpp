#include "mithril/passes/placements/shard.hpp"

#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/find_shards.hpp"
#include "mithril/passes/placements/probe.hpp"
#include "mithril/passes/placements/shard_rules.hpp"
#include "mithril/passes/placements/write_placed.hpp"
#include "mithril/passes/placements/write_shards.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

// Inputs whose rows have an open number.
std::vector<bool> open_rows(const Graph& graph, std::vector<bool> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    inputs[i] =
        inputs[i] && value.ranked && !value.dims.empty() && !leaves_of(value.dims.front()).empty();
  }
  return inputs;
}

bool is_cut(const ShardOptions& options, size_t input, size_t axis) {
  return input < options.input_axes.size() && options.input_axes[input] == axis;
}

// Adds the bias of a linear map after the sum over the processes: its weight is an input that they
// share along the axis that is summed.
Graph separate_biases(const Graph& graph, const ShardOptions& options) {
  const OpDef &linear = find_op("linear"), &cast = find_op("cast");
  std::vector<bool> summed(graph.values().size());
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    summed[index(graph.inputs()[i])] = is_cut(options, i, 1);
  Rebuilder rebuilder(graph);
  const std::string scope = unused_prefix(graph, "products");
  for (const Node& node : graph.nodes()) {
    if (node.op == &cast)
      summed[index(node.outputs[0])] = summed[index(*tensor_of(node.arguments[0]))];
    const ValueId* bias = node.op == &linear ? tensor_of(node.arguments[2]) : nullptr;
    if (!bias || !summed[index(*tensor_of(node.arguments[1]))]) {
      rebuilder.keep(node);
      continue;
    }
    Node product = rebuilder.map_arguments(node);
    product.arguments[2] = Datum();
    Value value = graph.value(node.outputs.front());
    value.name = scope + "." + value.name;
    const ValueId term = rebuilder.graph().add_value(std::move(value));
    product.outputs = {term};
    rebuilder.graph().add_node(std::move(product));
    rebuilder.add(Node{&find_op("add"), {term, rebuilder.map(*bias)}, {}}, node.outputs);
  }
  return rebuilder.finish();
}

}  // namespace

PlacedGraph shard(const Graph& whole, const ShardOptions& options) {
  MITHRIL_CHECK(options.rank >= 0 && options.rank < options.size, "the rank is not in the group");
  if (options.size == 1) {
    return {whole, std::vector<Placement>(whole.inputs().size()),
            std::vector<Placement>(whole.outputs().size())};
  }
  const Graph graph = separate_biases(whole, options);
  const BatchRows rows(graph, open_rows(graph, options.row_inputs));
  const Probe sizes = probe(graph, rows);
  const ShardRules rules(graph, sizes.numbers, options.size);
  const LocalGraph local = write_shards(graph, rules, find_shards(graph, rules, options), options);
  return write_placed(local.graph, BatchRows(local.graph, {}), local.placements,
                      {.group = options.group,
                       .rank = options.rank,
                       .size = options.size,
                       .bucket_bytes = options.bucket_bytes});
}

}  // namespace mithril
