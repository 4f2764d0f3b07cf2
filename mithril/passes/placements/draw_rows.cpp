#include "mithril/passes/placements/draw_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/nested_graph.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

Expression times(const Expression& number, const Dim& factor) {
  return factor.is_constant(1) ? number : number * Datum(factor);
}

void collect(const NodeChange& change, std::set<size_t>& batches) {
  if (change.draw) batches.insert(change.draw->batch);
  if (!change.nested) return;
  for (const auto& [port, changes] : change.nested->of) {
    for (const auto& [node, inner] : changes) collect(inner, batches);
  }
}

// `outer`: of the graph around this one.
Graph with_rows(const Graph& from, const NodeChanges& changes, const RowNumbers& outer) {
  Rebuilder rebuilder(from);
  const std::string scope = unused_prefix(from, "rows");
  const auto input = [&](const std::string& name) {
    Value value;
    value.name = scope + "." + name;
    value.dtype = DType::int64;
    return Expression{&rebuilder.graph(), rebuilder.graph().add_input(std::move(value)), &scope};
  };
  RowNumbers numbers;
  for (const auto& [batch, number] : outer) {
    const std::string at = std::to_string(batch);
    const Expression first = input("first_" + at);
    numbers.emplace(batch, RowNumber{first, input("count_" + at)});
  }
  for (size_t i = 0; i < from.nodes().size(); ++i) {
    const Node& node = from.nodes()[i];
    const auto found = changes.find(static_cast<NodeId>(i));
    Node now = rebuilder.map_arguments(node);
    if (found != changes.end()) {
      const NodeChange& change = found->second;
      if (change.draw) draw_rows(now, *change.draw, numbers);
      if (change.nested) draw_rows(now, *change.nested, numbers);
    }
    rebuilder.add(std::move(now), node.outputs);
  }
  return rebuilder.finish();
}

}  // namespace

bool draws_elements(const OpDef& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [](const PortDef& port) {
    return port.name == "key" && port.type.starts_with("int");
  });
}

std::optional<RowDraw> row_draw(const Value& value, const Placement& of, const BatchRows& rows) {
  if (!value.ranked || of.outer != 1) return std::nullopt;
  const Dim& size = value.dims[of.axis];
  const std::optional<size_t> batch = rows.batch_of(size);
  const Dim of_row = rows.with(size, 1);
  const bool grows_evenly = batch && rows.with(size, 0).is_constant(0) &&
                            same(rows.with(size, 2), resolve(of_row + of_row));
  if (!grows_evenly) return std::nullopt;
  return RowDraw{.axis = of.axis, .batch = *batch, .of_row = of_row};
}

std::set<size_t> batches_drawn(const NodeChange& change) {
  std::set<size_t> batches;
  collect(change, batches);
  return batches;
}

void draw_rows(Node& node, const RowDraw& draw, const RowNumbers& numbers) {
  const RowNumber& number = numbers.at(draw.batch);
  node.op = &find_op(node.op->rows_drawn_by);
  node.arguments.emplace_back(times(number.first, draw.of_row).id);
  node.arguments.emplace_back(times(number.count, draw.of_row).id);
  node.arguments.emplace_back(Datum(static_cast<int64_t>(draw.axis)));
}

void draw_rows(Node& node, const NestedChanges& changes, const RowNumbers& numbers) {
  static const NodeChanges none;
  for (const std::string_view port : nested_graph_ports(*node.op)) {
    const auto found = changes.of.find(port);
    const NodeChanges& of_graph = found == changes.of.end() ? none : found->second;
    const std::shared_ptr<const NestedGraph> nested = nested_graph(node, port);
    node.arguments[node.argument_index(port)] =
        nested_datum(with_rows(nested->graph(), of_graph, numbers));
  }
  std::vector<Argument> added;
  for (const auto& [batch, number] : numbers) {
    added.emplace_back(number.first.id);
    added.emplace_back(number.count.id);
  }
  const size_t end = node.argument_index("arguments") + node.list_size();
  node.arguments.insert(node.arguments.begin() + static_cast<std::ptrdiff_t>(end), added.begin(),
                        added.end());
}

}  // namespace mithril
