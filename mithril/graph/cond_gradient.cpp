// The gradient of a choice between two graphs.
#include <optional>
#include <utility>

#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/reverse_mode.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// A branch and its gradient. Its inputs are those of the branch, then the gradients of `seeds`,
// indices of its outputs.
class BranchGradient {
 public:
  BranchGradient(const Graph& branch, const std::vector<size_t>& seeds,
                 const std::vector<size_t>& wanted)
      : inputs_(branch.inputs()), joint_(branch) {
    const std::string prefix = free_prefix(branch, "grad.");
    std::vector<ValueId> ids;
    for (const size_t i : wanted) ids.push_back(inputs_[i]);
    std::vector<ValueId> incoming;
    for (const size_t k : seeds) {
      Value value = branch.value(branch.outputs()[k].value);
      value.name = prefix + "output_" + std::to_string(k);
      incoming.push_back(joint_.add_input(std::move(value)));
    }
    reverse_.emplace(joint_, prefix, ids);
    for (size_t n = 0; n < seeds.size(); ++n)
      reverse_->seed(branch.outputs()[seeds[n]].value, incoming[n]);
    reverse_->run();
  }
  BranchGradient(const BranchGradient&) = delete;

  bool reaches(size_t input) const { return reverse_->gradient(inputs_[input]).has_value(); }

  // The graph that makes the gradients of these inputs.
  Graph graph_for(const std::vector<size_t>& wanted) {
    std::vector<ValueId> gradients;
    for (const size_t i : wanted)
      gradients.push_back(reverse_->gradient_or_zeros(inputs_[i], joint_.value(inputs_[i]).name));
    Graph graph = joint_;
    graph.keep_outputs(0);
    for (const ValueId id : gradients)
      graph.add_output("gradient_" + std::to_string(graph.outputs().size()), id);
    graph.drop_unread();
    return graph;
  }

 private:
  const std::vector<ValueId> inputs_;
  Graph joint_;
  std::optional<ReverseMode> reverse_;
};

// The value in the dtype that the graphs state. Arithmetic that rounds once hands over wider
// values.
ValueId in_dtype(const Expression& given, DType dtype) {
  return given.dtype() == dtype ? given.id : call("cast", {given, Datum(dtype)}).id;
}

}  // namespace

void differentiate_cond(GradContext& c) {
  const Graph then = nested_graph(c.value("then"))->copy(),
              otherwise = nested_graph(c.value("otherwise"))->copy();
  std::vector<size_t> seeds, wanted;
  for (size_t k = 0; k < then.outputs().size(); ++k) {
    const bool flows = is_floating(then.value(then.outputs()[k].value).dtype);
    if (flows && c.has_out_grad(static_cast<int>(k))) seeds.push_back(k);
  }
  const auto input = [&](size_t i) -> const Value& { return then.value(then.inputs()[i]); };
  for (size_t i = 0; i < then.inputs().size(); ++i) {
    if (is_floating(input(i).dtype) && c.needs("arguments", static_cast<int>(i)))
      wanted.push_back(i);
  }
  if (seeds.empty() || wanted.empty()) return;
  BranchGradient of_then(then, seeds, wanted), of_otherwise(otherwise, seeds, wanted);
  std::erase_if(wanted, [&](size_t i) { return !of_then.reaches(i) && !of_otherwise.reaches(i); });
  if (wanted.empty()) return;
  const Expression condition = c.in("condition");
  Graph& graph = *condition.graph;
  CondNode back{.then = of_then.graph_for(wanted),
                .otherwise = of_otherwise.graph_for(wanted),
                .condition = condition.id};
  for (size_t i = 0; i < then.inputs().size(); ++i)
    back.arguments.push_back(in_dtype(c.in("arguments", static_cast<int>(i)), input(i).dtype));
  for (const size_t k : seeds)
    back.arguments.push_back(
        in_dtype(c.out_grad(static_cast<int>(k)), then.value(then.outputs()[k].value).dtype));
  for (const size_t i : wanted)
    back.results.push_back(
        {.name = {}, .dims = graph.value(back.arguments[i]).dims, .dtype = input(i).dtype});
  const auto made = add_cond(graph, back, *condition.scope + ".branches_back");
  for (size_t n = 0; n < wanted.size(); ++n)
    c.flow("arguments", {&graph, made[n], condition.scope}, static_cast<int>(wanted[n]));
}

}  // namespace mithril
