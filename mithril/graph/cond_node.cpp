#include "mithril/graph/cond_node.hpp"

#include <utility>

#include "mithril/graph/nested_evaluation.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

bool is_cond(const Node& node) { return node.op->name == "cond"; }

CondNode cond_of(const Node& node) {
  std::vector<Graph> graphs = nested_graphs(node);
  CondNode cond{.then = std::move(graphs[0]),
                .otherwise = std::move(graphs[1]),
                .condition = *tensor_of(node.arguments[node.argument_index("condition")]),
                .results = nested_results(node)};
  const size_t first = node.argument_index("arguments");
  for (size_t i = 0; i < node.list_size(); ++i)
    cond.arguments.push_back(*tensor_of(node.arguments[first + i]));
  return cond;
}

std::vector<Argument> cond_arguments(const CondNode& cond) {
  std::vector<Argument> arguments{cond.condition};
  arguments.insert(arguments.end(), cond.arguments.begin(), cond.arguments.end());
  for (Datum datum :
       {nested_datum(cond.then), nested_datum(cond.otherwise), results_of_nested(cond.results)})
    arguments.emplace_back(std::move(datum));
  return arguments;
}

std::vector<ValueId> add_cond(Graph& graph, const CondNode& cond, const std::string& name) {
  return graph.add(find_op("cond"), cond_arguments(cond), name);
}

void evaluate_cond(EvalContext& c) {
  const bool chosen = c.read<bool>("condition")[0];
  const Graph branch = nested_graph(c.value(chosen ? "then" : "otherwise"))->copy();
  std::vector<Tensor> given;
  std::vector<Dims> dims;
  for (int i = 0; i < c.list_size(); ++i) {
    const DType dtype = branch.value(branch.inputs()[static_cast<size_t>(i)]).dtype;
    dims.push_back(given.emplace_back(c.in("arguments", i).to(dtype)).dims());
  }
  NestedEvaluation evaluation(branch, dims);
  const std::vector<Dims> made = evaluation.output_dims();
  for (size_t k = 0; k < made.size(); ++k)
    check_stated_dims("cond", branch.outputs()[k].name, c.out(static_cast<int>(k)).dims(), made[k]);
  const std::vector<Tensor> outputs = evaluation.run(given);
  for (size_t k = 0; k < outputs.size(); ++k) write_elements(c, static_cast<int>(k), outputs[k], 0);
}

}  // namespace mithril
