// vmap of a choice between two graphs.
#include <utility>

#include "mithril/graph/batch_context.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_batching.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class CondBatching {
 public:
  explicit CondBatching(BatchContext& context)
      : context_(context),
        then_(nested_graph(context.value("then"))->copy()),
        otherwise_(nested_graph(context.value("otherwise"))->copy()) {
    for (int i = 0; i < context.list_size(); ++i)
      batched_.push_back(context.is_batched("arguments", i));
  }

  void run() { context_.is_batched("condition") ? choose_for_each() : choose_for_all(); }

 private:
  Graph& graph() const { return *context_.in("condition").graph; }
  const std::string& scope() const { return *context_.in("condition").scope; }
  Expression outside(ValueId id) const { return {&graph(), id, &scope()}; }
  size_t result_count() const { return then_.outputs().size(); }

  // One choice, between the batched branches.
  void choose_for_all() {
    BatchedGraph then(then_, context_.size(), batched_),
        otherwise(otherwise_, context_.size(), batched_);
    std::vector<bool> batched;
    for (size_t k = 0; k < result_count(); ++k) {
      batched.push_back(then.is_batched(k) || otherwise.is_batched(k));
      if (!batched.back()) continue;
      then.repeat(k);
      otherwise.repeat(k);
    }
    const std::vector<Expression> made = choice({.then = then.graph(),
                                                 .otherwise = otherwise.graph(),
                                                 .condition = context_.in("condition").id},
                                                batched, ".branches");
    for (size_t k = 0; k < made.size(); ++k) {
      const int index = static_cast<int>(k);
      batched[k] ? context_.become(made[k], index) : context_.become_shared(made[k], index);
    }
  }

  // Each index has a choice of its own: both branches run, and the condition selects.
  void choose_for_each() {
    const Expression chosen = context_.in("condition");
    const auto then = run_where(chosen, then_, ".then"),
               otherwise = run_where(call("logical_not", {chosen}), otherwise_, ".otherwise");
    for (size_t k = 0; k < result_count(); ++k) {
      const int index = static_cast<int>(k);
      const std::vector<Dim> column(context_.out_dims(index).size(), Dim(1));
      context_.become(call("where", {context_.reshaped(chosen, column), then[k], otherwise[k]}),
                      index);
    }
  }

  // The results of a branch at the chosen indices. It does not run if there are none.
  std::vector<Expression> run_where(const Expression& chosen, const Graph& branch,
                                    const std::string& name) const {
    if (const auto given = handed_over(branch)) return *given;
    const BatchedGraph rows(branch, context_.size(), batched_, BatchedIndices::chosen);
    std::vector<bool> batched;
    for (size_t k = 0; k < result_count(); ++k) batched.push_back(rows.is_batched(k));
    const Graph then = rows.graph();
    CondNode cond{.then = then, .otherwise = zeros_like(then), .condition = any_of(chosen).id};
    cond.arguments.push_back(chosen.id);
    return choice(std::move(cond), batched, name);
  }

  // The results of a branch that only returns inputs.
  std::optional<std::vector<Expression>> handed_over(const Graph& branch) const {
    if (!branch.nodes().empty() || !branch.constants().empty()) return {};
    std::vector<Expression> given;
    for (const Output& output : branch.outputs()) {
      size_t i = 0;
      while (branch.inputs()[i] != output.value) ++i;
      given.push_back(context_.in("arguments", static_cast<int>(i)));
    }
    return given;
  }

  // A graph whose outputs are zeros, with the dims and dtypes of those of `like`.
  static Graph zeros_like(const Graph& like) {
    Graph zeros = like;
    zeros.keep_outputs(0);
    for (const Output& output : like.outputs()) {
      const Value& value = like.value(output.value);
      const std::string scope = output.name + ".zeros";
      const Expression any{&zeros, output.value, &scope};
      zeros.add_output(output.name,
                       call_in(any, "zeros", {Datum::dims(value.dims), Datum(value.dtype)}).id);
    }
    zeros.drop_unread();
    return zeros;
  }

  // Adds a node that reads the arguments, and then those of `cond`.
  std::vector<Expression> choice(CondNode cond, const std::vector<bool>& batched,
                                 const std::string& name) const {
    std::vector<ValueId> arguments;
    for (int i = 0; i < context_.list_size(); ++i)
      arguments.push_back(context_.in("arguments", i).id);
    arguments.insert(arguments.end(), cond.arguments.begin(), cond.arguments.end());
    cond.arguments = std::move(arguments);
    for (size_t k = 0; k < batched.size(); ++k) {
      std::vector<Dim> dims = context_.out_dims(static_cast<int>(k));
      if (batched[k]) dims.insert(dims.begin(), context_.size());
      const Value& result = then_.value(then_.outputs()[k].value);
      cond.results.push_back({.name = {}, .dims = std::move(dims), .dtype = result.dtype});
    }
    std::vector<Expression> made;
    for (const ValueId id : add_cond(graph(), cond, scope() + name)) made.push_back(outside(id));
    return made;
  }

  BatchContext& context_;
  const Graph then_, otherwise_;
  std::vector<bool> batched_;  // per argument
};

}  // namespace

void batch_cond(BatchContext& context) { CondBatching(context).run(); }

}  // namespace mithril
