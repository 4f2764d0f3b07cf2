// vmap of a loop that a condition ends.
#include <algorithm>
#include <utility>

#include "mithril/graph/batch_context.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_batching.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// A step that keeps the carries if the condition is false.
Graph step_or_same(const Graph& condition, const Graph& body) {
  const size_t carries = body.outputs().size();
  Graph step = condition, same = body;
  step.keep_outputs(0);
  same.keep_outputs(0);
  CondNode choice{.then = body,
                  .otherwise = {},
                  .condition = condition.outputs().front().value,
                  .arguments = condition.inputs()};
  for (size_t k = 0; k < carries; ++k) {
    same.add_output(body.outputs()[k].name, body.inputs()[k]);
    choice.results.push_back(condition.value(condition.inputs()[k]));
  }
  same.drop_unread();
  choice.otherwise = std::move(same);
  const auto made = add_cond(step, choice, free_prefix(step, "step"));
  for (size_t k = 0; k < carries; ++k) step.add_output(body.outputs()[k].name, made[k]);
  return step;
}

}  // namespace

void batch_while(BatchContext& context) {
  const Graph condition = nested_graph(context.value("condition"))->copy();
  const Graph body = nested_graph(context.value("body"))->copy();
  const size_t carries = body.outputs().size();
  const Dim& size = context.size();
  std::vector<bool> batched;
  for (int i = 0; i < context.list_size(); ++i)
    batched.push_back(context.is_batched("arguments", i));
  BatchedGraph step = batched_step(body, carries, size, batched);
  BatchedGraph goes_on(condition, size, batched);
  if (goes_on.is_batched(0)) {
    std::fill_n(batched.begin(), carries, true);
    step = batched_step(step_or_same(condition, body), carries, size, batched);
    goes_on = BatchedGraph(condition, size, batched);
    goes_on.become_any(0);
  }
  WhileNode loop{.condition = goes_on.graph(), .body = step.graph()};
  for (size_t i = 0; i < batched.size(); ++i) {
    const int item = static_cast<int>(i);
    loop.arguments.push_back(
        (batched[i] ? context.batched("arguments", item) : context.in("arguments", item)).id);
  }
  const Expression first = context.in("arguments", 0);
  const auto made = add_while(*first.graph, loop, *first.scope + ".steps");
  for (size_t k = 0; k < made.size(); ++k) {
    const Expression last{first.graph, made[k], first.scope};
    const int index = static_cast<int>(k);
    batched[k] ? context.become(last, index) : context.become_shared(last, index);
  }
}

}  // namespace mithril
