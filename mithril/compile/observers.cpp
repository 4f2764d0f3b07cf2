#include "mithril/compile/observers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/drop_rows.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

// "3" in step 3 of a loop, "3, 0" in step 0 of a loop in it, "" elsewhere.
std::string text_of_steps() {
  std::vector<std::string> steps;
  for (const int64_t step : running_steps()) steps.push_back(std::to_string(step));
  return join(steps, ", ");
}

enum HookPorts : size_t { hook_port = 1, gradient_hook_port = 2 };

// Adds `observe` nodes after values. Hooks on a value are called in the order of registration. So
// are hooks on its gradient, which passes the nodes in reverse order.
class HookInsertion {
 public:
  HookInsertion(const Graph& graph, const std::vector<Hook>& hooks)
      : hooks_(hooks), rebuilder_(graph) {
    for (size_t i = 0; i < hooks.size(); ++i) {
      std::vector<size_t>& at = hooks_at_[hooks[i].value];
      at.insert(hooks[i].gradient ? at.begin() : at.end(), i);
    }
  }

  Graph run(const Graph& graph) {
    for (const ValueId id : graph.inputs()) insert(graph, id);
    for (const Constant& constant : graph.constants()) insert(graph, constant.value);
    for (const Node& node : graph.nodes()) {
      rebuilder_.keep(node);
      for (const ValueId id : node.outputs) insert(graph, id);
    }
    return rebuilder_.finish();
  }

 private:
  void insert(const Graph& graph, ValueId id) {
    const auto found = hooks_at_.find(id);
    if (found == hooks_at_.end()) return;
    for (const size_t i : found->second) {
      const auto number = static_cast<int64_t>(i);
      Value value = graph.value(id);
      value.name += hooks_[i].gradient ? "@gradient_hook_" : "@hook_";
      value.name += std::to_string(i);
      const ValueId observed = rebuilder_.graph().add_value(std::move(value));
      Node node{
          &find_op("observe"), {rebuilder_.map(id), Datum(int64_t{-1}), Datum(int64_t{-1})}, {}};
      node.arguments[hooks_[i].gradient ? gradient_hook_port : hook_port] = Datum(number);
      node.outputs = {observed};
      rebuilder_.graph().add_node(std::move(node));
      rebuilder_.replace(id, observed);
    }
  }

  const std::vector<Hook>& hooks_;
  std::map<ValueId, std::vector<size_t>> hooks_at_;
  Rebuilder rebuilder_;
};

class HookCalls final : public Observer {
 public:
  explicit HookCalls(std::vector<Hook> hooks) : hooks_(std::move(hooks)) {}

  bool wants(const Node& node) const override { return node.op->opaque && number(node) >= 0; }

  Tensor observe(const Graph&, const Node& node, ValueId, const Tensor& tensor) const override {
    const Hook& hook = hooks_[static_cast<size_t>(number(node))];
    if (!*hook.active) return tensor;
    const std::optional<Tensor> replacement = hook.call(tensor);
    if (!replacement) return tensor;
    const bool fits = replacement->dims() == tensor.dims() &&
                      tensor_kind(replacement->dtype()) == tensor_kind(tensor.dtype());
    if (!fits) refuse(hook.path, tensor, *replacement);
    return replacement->dtype() == tensor.dtype() ? *replacement : replacement->to(tensor.dtype());
  }

 private:
  static int64_t number(const Node& node) {
    return std::get<Datum>(node.arguments[hook_port]).integer();
  }

  [[noreturn]] static void refuse(const std::string& path, const Tensor& observed,
                                  const Tensor& replacement) {
    raise({.kind = ErrorKind::input,
           .code = "E0810",
           .path = path,
           .message = "a hook returned a tensor that cannot replace the value",
           .facts = {{"shown", dtype_and_dims(observed)}, {"given", dtype_and_dims(replacement)}},
           .help = "give one of the same dims, or nothing"});
  }

  const std::vector<Hook> hooks_;
};

struct NonFiniteCounts {
  int64_t not_a_number = 0, infinite = 0;

  explicit NonFiniteCounts(const Tensor& tensor) {
    if (!is_floating(tensor.dtype())) return;
    const Tensor here = tensor.host();
    for (int64_t i = 0; i < here.size(); ++i) {
      const double x = here.at_as_double(i);
      not_a_number += std::isnan(x);
      infinite += std::isinf(x);
    }
  }
  bool finite() const { return not_a_number == 0 && infinite == 0; }
  std::string text() const {
    return finite() ? "finite" : fmt::format("{} NaN, {} infinite", not_a_number, infinite);
  }
};

class Printing final : public Observer {
 public:
  Printing(std::shared_ptr<const Observer> next, bool quiet)
      : next_(std::move(next)), quiet_(quiet) {}

  bool wants(const Node&) const override { return true; }

  Tensor observe(const Graph& graph, const Node& node, ValueId value,
                 const Tensor& tensor) const override {
    const NonFiniteCounts census(tensor);
    const std::string &path = graph.value(value).name, steps = text_of_steps();
    const std::string place = printable(path) + (steps.empty() ? "" : " step " + steps);
    if (!quiet_ || !census.finite())
      fmt::print(stderr, "{:<40} {:<20} {:<24} {}\n", place, node.op->name, dtype_and_dims(tensor),
                 is_floating(tensor.dtype()) ? census.text() : "");
    if (!census.finite()) {
      raise({.kind = ErrorKind::value,
             .code = "E0410",
             .path = path,
             .message = node.op->name + " made " + census.text() + " of " +
                        std::to_string(tensor.size()) + " elements",
             .facts = facts_of(tensor, steps),
             .help = quiet_ ? "earlier values are finite"
                            : "earlier values are finite and were printed"});
    }
    return next_ && next_->wants(node) ? next_->observe(graph, node, value, tensor) : tensor;
  }

 private:
  static std::vector<Fact> facts_of(const Tensor& made, const std::string& steps) {
    std::vector<Fact> facts{{"made", dtype_and_dims(made), ""}};
    if (!steps.empty()) facts.push_back({"step", steps, ""});
    return facts;
  }

  const std::shared_ptr<const Observer> next_;
  const bool quiet_;
};

}  // namespace

Graph with_hooks(const Graph& graph, const std::vector<Hook>& hooks) {
  if (hooks.empty()) return graph;
  Graph kept = graph;
  // No output can read these.
  const std::vector<bool> nested = values_of_nested(graph), rows = values_of_rows(graph);
  for (size_t i = 0; i < hooks.size(); ++i) {
    const size_t at = index(hooks[i].value);
    if (!hooks[i].gradient && !nested[at] && !rows[at])
      kept.add_output("@hook_" + std::to_string(i), hooks[i].value);
  }
  return HookInsertion(kept, hooks).run(kept);
}

std::shared_ptr<const Observer> call_hooks(std::vector<Hook> hooks) {
  return std::make_shared<HookCalls>(std::move(hooks));
}

std::shared_ptr<const Observer> print_values(std::shared_ptr<const Observer> next, bool quiet) {
  return std::make_shared<Printing>(std::move(next), quiet);
}

std::string non_finite_text(const Tensor& tensor) {
  const NonFiniteCounts census(tensor);
  return census.finite() ? "" : census.text();
}

}  // namespace mithril
