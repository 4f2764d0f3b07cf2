#include "mithril/graph/while_node.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/nested_evaluation.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

bool is_while(const Node& node) { return node.op->name == "while_loop"; }

WhileNode while_of(const Node& node) {
  std::vector<Graph> graphs = nested_graphs(node);
  WhileNode loop{.condition = std::move(graphs[0]), .body = std::move(graphs[1])};
  for (size_t i = 0; i < node.list_size(); ++i)
    loop.arguments.push_back(*tensor_of(node.arguments[i]));
  return loop;
}

std::vector<Argument> while_arguments(const Graph& graph, const WhileNode& loop) {
  std::vector<Value> results;
  for (size_t k = 0; k < loop.carries(); ++k) {
    const Value& first = graph.value(loop.arguments[k]);
    results.push_back({.name = {}, .dims = first.dims, .dtype = first.dtype});
  }
  std::vector<Argument> arguments(loop.arguments.begin(), loop.arguments.end());
  for (Datum datum :
       {nested_datum(loop.condition), nested_datum(loop.body), results_of_nested(results)})
    arguments.emplace_back(std::move(datum));
  return arguments;
}

std::vector<ValueId> add_while(Graph& graph, const WhileNode& loop, const std::string& name) {
  return graph.add(find_op("while_loop"), while_arguments(graph, loop), name);
}

void evaluate_while(EvalContext& c) {
  const Graph condition = nested_graph(c.value("condition"))->copy(),
              body = nested_graph(c.value("body"))->copy();
  std::vector<Tensor> values;
  std::vector<Dims> dims;
  for (int i = 0; i < c.list_size(); ++i) {
    const DType dtype = body.value(body.inputs()[static_cast<size_t>(i)]).dtype;
    dims.push_back(values.emplace_back(c.in("arguments", i).to(dtype)).dims());
  }
  NestedEvaluation goes_on(condition, dims), step(body, dims);
  check_carries(body, body.outputs().size(), dims, step.output_dims());
  StepScope running;
  for (int64_t n = 0; goes_on.run(values).front().values<bool>()[0]; running.set(++n)) {
    check_interrupt();
    std::vector<Tensor> next = step.run(values);
    std::move(next.begin(), next.end(), values.begin());
  }
  for (int k = 0; k < c.output_count(); ++k)
    write_elements(c, k, values[static_cast<size_t>(k)], 0);
}

}  // namespace mithril
