#include "mithril/onnx/fold_room.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "mithril/graph/nested_graphs.hpp"
#include "mithril/ops/support/op_work.hpp"

namespace mithril::onnx {
namespace {

// The dims, of which each size that is not known counts as 1.
Dims dims_of(const Graph& graph, ValueId id) {
  Dims dims;
  for (const Dim& each : graph.value(id).dims) {
    const Dim dim = resolve(each);
    dims.push_back(dim.is_constant() ? dim.constant() : 1);
  }
  return dims;
}

// A loop has at most as many steps as its largest size, or as an int that it reads.
Work work_of_nested(const Node& node, const std::vector<Dims>& dims) {
  double steps = 1;
  for (const Dims& each : dims)
    for (const std::int64_t size : each) steps = std::max(steps, static_cast<double>(size));
  for (const Argument& argument : node.arguments) {
    const auto* datum = std::get_if<Datum>(&argument);
    if (datum && datum->kind() == kind::int_value && resolve(datum->dim()).is_constant())
      steps = std::max(steps, static_cast<double>(datum->integer()));
  }
  Work total;
  constexpr double operations_to_run = 1000;  // a node, however few elements it has
  for (const Graph& graph : nested_graphs(node)) {
    const Work step = work_of(graph);
    const double nodes = static_cast<double>(graph.nodes().size());
    total.bytes += step.bytes;
    total.operations += steps * (step.operations + operations_to_run * nodes);
  }
  return total;
}

double bytes_of(const Graph& graph, ValueId id) {
  auto bytes = static_cast<double>(size_of(graph.value(id).dtype));
  for (const std::int64_t size : dims_of(graph, id)) bytes *= static_cast<double>(size);
  return bytes;
}

}  // namespace

Work work_of_outputs(const Graph& graph) {
  Work total;
  for (const Output& output : graph.outputs()) total.bytes += bytes_of(graph, output.value);
  return total;
}

Work work_of(const Graph& graph) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Work total;
  for (const Node& node : graph.nodes()) {
    std::vector<Dims> dims;
    for (const Argument& argument : node.arguments)
      dims.push_back(tensor_of(argument) ? dims_of(graph, *tensor_of(argument)) : Dims{});
    for (const ValueId id : node.outputs) {
      dims.push_back(dims_of(graph, id));
      const double bytes = bytes_of(graph, id);
      if (bytes > 1 << 30) return {infinity, infinity};
      total.bytes += bytes;
    }
    std::vector<const Dims*> tensors;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const bool is_value = i < node.arguments.size() && !tensor_of(node.arguments[i]);
      tensors.push_back(is_value ? nullptr : &dims[i]);
    }
    const std::span<const Dims* const> all = tensors;
    const std::size_t inputs = node.arguments.size();
    total.operations += static_cast<double>(
        operations_of(*node.op, {.inputs = all.first(inputs), .outputs = all.subspan(inputs)}));
    if (!has_nested_graphs(node)) continue;
    const Work nested = work_of_nested(node, dims);
    total.bytes += nested.bytes;
    total.operations += nested.operations;
  }
  return total;
}

bool FoldRoom::take(const Work& work) {
  if (work.bytes > static_cast<double>(bytes_) ||
      work.operations > static_cast<double>(operations_))
    return false;
  bytes_ -= static_cast<std::int64_t>(work.bytes);
  operations_ -= static_cast<std::int64_t>(work.operations);
  return true;
}

}  // namespace mithril::onnx
