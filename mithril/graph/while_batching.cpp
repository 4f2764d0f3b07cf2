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

// A loop over the new axis, and which of its arguments have it.
struct BatchedLoop {
  WhileNode loop;
  std::vector<bool> batched;
};

// `batched`: the arguments that have the axis, before the carries that change with them.
BatchedLoop batched_loop(BatchContext& context, std::vector<bool> batched) {
  const Graph condition = nested_graph(context.value("condition"))->copy();
  const Graph body = nested_graph(context.value("body"))->copy();
  const size_t carries = body.outputs().size();
  const Dim& size = context.size();
  BatchedGraph step = batched_step(body, carries, size, batched);
  BatchedGraph goes_on(condition, size, batched);
  if (goes_on.is_batched(0)) {
    std::fill_n(batched.begin(), carries, true);
    step = batched_step(step_or_same(condition, body), carries, size, batched);
    goes_on = BatchedGraph(condition, size, batched);
    goes_on.become_any(0);
  }
  BatchedLoop made{.loop = {.condition = goes_on.graph(), .body = step.graph()},
                   .batched = std::move(batched)};
  for (size_t i = 0; i < made.batched.size(); ++i) {
    const int item = static_cast<int>(i);
    made.loop.arguments.push_back(
        (made.batched[i] ? context.batched("arguments", item) : context.in("arguments", item)).id);
  }
  return made;
}

std::vector<bool> batched_arguments(const BatchContext& context, size_t count) {
  std::vector<bool> batched;
  for (size_t i = 0; i < count; ++i)
    batched.push_back(context.is_batched("arguments", static_cast<int>(i)));
  return batched;
}

}  // namespace

void batch_while(BatchContext& context) {
  const auto count = static_cast<size_t>(context.list_size());
  const auto [loop, batched] = batched_loop(context, batched_arguments(context, count));
  const Expression first = context.in("arguments", 0);
  const auto made = add_while(*first.graph, loop, *first.scope + ".steps");
  for (size_t k = 0; k < made.size(); ++k) {
    const Expression last{first.graph, made[k], first.scope};
    const int index = static_cast<int>(k);
    batched[k] ? context.become(last, index) : context.become_shared(last, index);
  }
}

void batch_while_gradient(BatchContext& context) {
  const size_t count = nested_graph(context.value("body"))->graph().inputs().size();
  std::vector<bool> given = batched_arguments(context, count);
  for (const char* port : {"seeds", "wanted"}) {
    for (const Datum& number : context.value(port).tuple())
      given[static_cast<size_t>(number.integer())] = true;
  }
  const BatchedLoop made = batched_loop(context, std::move(given));
  const Expression first = context.in("arguments", 0);
  std::vector<Operand> operands;
  for (const ValueId id : made.loop.arguments)
    operands.emplace_back(Expression{first.graph, id, first.scope});
  for (int i = static_cast<int>(count); i < context.list_size(); ++i)
    operands.emplace_back(context.batched("arguments", i));
  std::vector<Value> results;
  for (const Datum& number : context.value("wanted").tuple()) {
    const size_t argument = static_cast<size_t>(number.integer());
    results.push_back(first.graph->value(made.loop.arguments[argument]));
    results.back().dtype = made.loop.body.value(made.loop.body.inputs()[argument]).dtype;
  }
  for (const Datum& datum :
       {nested_datum(made.loop.condition), nested_datum(made.loop.body), context.value("seeds"),
        context.value("wanted"), results_of_nested(results), context.value("result")})
    operands.emplace_back(datum);
  context.become_all(call_all("while_gradient", operands));
}

}  // namespace mithril
