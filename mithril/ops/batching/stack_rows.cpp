// stack_rows: what a part of a model computes for each index of an axis.
#include <algorithm>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batched_rows.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// values: the outputs, then the row_of that they are computed from. Each becomes a tensor with the
// axis.
bool solve_stack_rows(Solver& s) {
  const Datum *axes = s.value("axes"), *size = s.value("size");
  bool known = axes && size;
  std::vector<Dim> row;
  for (int k = 0, count = s.count("values"); k < count; ++k) {
    const Kinds kind = s.kind("values", k);
    if (kind != 0) s.narrow("outputs", kind, k);
    known = known && kind != 0;
    int64_t axis = 0;
    if (!axes || !size || !s.number(axes->tuple()[static_cast<size_t>(k)].dim(), axis)) continue;
    row.clear();
    if (!s.shape("values", row, k)) {
      known = false;
      continue;
    }
    const size_t at = axis_of(s, axis, row.size() + 1);
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), size->dim());
    s.set_shape("outputs", row, k);
  }
  return known;
}

// The row_of that makes the row. Hooks may replace its output.
Node maker_of(const Graph& graph, ValueId row) {
  const auto& nodes = graph.nodes();
  const auto maker = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const Node& node) { return node.outputs.front() == row; });
  MITHRIL_CHECK(maker != nodes.end(), "a row has a maker");
  if (maker->op->opaque) return maker_of(graph, *tensor_of(maker->arguments.front()));
  MITHRIL_CHECK(maker->op->name == "row_of", "the last values of stack_rows are rows");
  return *maker;
}

void expand_stack_rows(ExpandContext& c) {
  const int outputs = c.list_size() - static_cast<int>(c.value("inputs").integer());
  std::vector<std::pair<ValueId, ValueId>> seeds;
  for (int k = outputs; k < c.list_size(); ++k) {
    const Expression row = c.in("values", k);
    const Node node = maker_of(*row.graph, row.id);
    const Expression whole{row.graph, *tensor_of(node.arguments[0]), row.scope};
    require_rank(whole);
    const int64_t axis = std::get<Datum>(node.arguments[1]).integer();
    const Expression front = moved_to_front(whole, axis_of(axis, whole.dims().size()));
    seeds.emplace_back(node.outputs.front(), front.id);
    c.become(front, k);
  }
  std::vector<Expression> values;
  for (int k = 0; k < outputs; ++k) values.push_back(c.in("values", k));
  const std::vector<Expression> batched = batched_values(values, c.value("size").dim(), seeds);
  for (int k = 0; k < outputs; ++k) {
    const Expression& front = batched[static_cast<size_t>(k)];
    const int64_t axis = c.value("axes").tuple()[static_cast<size_t>(k)].integer();
    c.become(moved_from_front(front, axis_of(axis, front.dims().size())), k);
  }
}

}  // namespace

OpDef define_stack_rows() {
  return {
      .name = "stack_rows",
      .doc =
          "What the nodes between `row_of` and `values` compute, for each index of the axis of "
          "`row_of`. The last `inputs` of `values` are the rows. Output k has its indices along "
          "axes[k].",
      .internal = true,
      .inputs = {list("values", "*r", "any"), value("axes", "tuple"), value("inputs", "int"),
                 value("size", "int")},
      .outputs = {list("outputs", "*s", "any")},
      .solve = solve_stack_rows,
      .expand = expand_stack_rows,
      .outputs_from = "values",
      .transform = true,
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
