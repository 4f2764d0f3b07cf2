// Derivatives of while loops.
//
// Forward mode carries the tangents of the carries, so it needs no bound on the number of steps.
// Reverse mode would keep values of all steps. A derivative in a direction is computed as the
// gradient of a gradient with respect to its seed. So the gradient of such a loop is a placeholder
// of op `while_gradient`, whose own gradient with respect to the seeds is the loop with tangents. A
// placeholder that an output needs is refused.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/dependence.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/reverse_mode.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// The path of the loop whose first carry has this name, "net.root.scancarry.output".
std::string path_of_loop(const std::string& carry) {
  const size_t port = carry.rfind('.');
  const size_t op = port == std::string::npos || port == 0 ? port : carry.rfind('.', port - 1);
  return op == std::string::npos ? "While" : carry.substr(0, op);
}

[[noreturn]] void refuse_gradient(const Datum& body, const std::string& result) {
  const Graph& step = nested_graph(body)->graph();
  raise(
      {.kind = ErrorKind::gradient,
       .code = "E0501",
       .path = path_of_loop(step.value(step.inputs().front()).name),
       .message = "no gradient flows through a loop whose number of steps has no bound",
       .facts = {{"result", result, ""}, {"reason", "the gradient keeps values of all steps", ""}},
       .help = "give the most steps: max_steps of While, or declare the inputs of the loop as not "
               "differentiable"});
}

bool is_while_gradient(const Node& node) { return node.op->name == "while_gradient"; }

void refuse_while_gradients(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const auto value = [&](std::string_view port) -> const Datum& {
      return std::get<Datum>(node.arguments[node.argument_index(port)]);
    };
    if (is_while_gradient(node)) refuse_gradient(value("body"), value("result").text());
    for (const std::string_view port : nested_graph_ports(*node.op))
      refuse_while_gradients(nested_graph(value(port))->graph());
  }
}

Expression in_dtype(const Expression& given, DType dtype) {
  return given.dtype() == dtype ? given : call("cast", {given, Datum(dtype)});
}

Datum numbers(const std::vector<size_t>& items) {
  return Datum::ints(std::vector<int64_t>(items.begin(), items.end()));
}

std::vector<size_t> numbers(const Datum& datum) {
  std::vector<size_t> items;
  for (const Datum& item : datum.tuple()) items.push_back(static_cast<size_t>(item.integer()));
  return items;
}

// The float arguments that need a gradient and on which a carry in `seeds` depends.
std::vector<size_t> arguments_before(const GradContext& c, const NestedGraph& body,
                                     const std::vector<size_t>& seeds) {
  const Graph& step = body.graph();
  std::vector<size_t> found;
  for (size_t i = 0; i < step.inputs().size(); ++i) {
    if (!is_floating(step.value(step.inputs()[i]).dtype)) continue;
    if (!c.needs("arguments", static_cast<int>(i))) continue;
    std::vector<bool> changed(step.inputs().size());
    changed[i] = true;
    add_changed_carries(dependence(body, Through::floats), step.outputs().size(), changed);
    if (std::any_of(seeds.begin(), seeds.end(), [&](size_t k) { return changed[k]; }))
      found.push_back(i);
  }
  return found;
}

// A loop whose carries and other arguments have tangents.
class TangentLoop {
 public:
  // `has_tangent`: per argument. Adds the carries that change with those.
  TangentLoop(const NestedGraph& condition, const NestedGraph& body, std::vector<bool> has_tangent)
      : condition_(condition.copy()),
        joint_(body.copy()),
        inputs_(joint_.inputs()),
        next_(joint_.outputs()),
        prefix_(free_prefix(joint_, "tangent.")),
        has_tangent_(std::move(has_tangent)) {
    add_changed_carries(dependence(body, Through::floats), next_.size(), has_tangent_);
    differentiate();
  }

  bool has_tangent(size_t argument) const { return has_tangent_[argument]; }

  // The carries, their tangents, then the values that every step reads and their tangents.
  // `tangent_of`: of an argument.
  template <class TangentOf>
  WhileNode loop(const std::vector<ValueId>& arguments, const TangentOf& tangent_of) const {
    WhileNode loop;
    std::vector<ValueId> body_inputs;
    std::vector<Value> condition_inputs;
    const auto add = [&](size_t i, bool tangent) {
      loop.arguments.push_back(tangent ? tangent_of(i) : arguments[i]);
      body_inputs.push_back(tangent ? tangents_.at(i) : inputs_[i]);
      condition_inputs.push_back(condition_.value(condition_.inputs()[i]));
      if (tangent) condition_inputs.back().name = joint_.value(tangents_.at(i)).name;
    };
    const auto add_all = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) add(i, false);
      for (size_t i = begin; i < end; ++i) {
        if (has_tangent_[i]) add(i, true);
      }
    };
    add_all(0, next_.size());
    add_all(next_.size(), inputs_.size());
    loop.body = step(body_inputs);
    loop.condition = condition(condition_inputs);
    return loop;
  }

 private:
  // The product with the Jacobian is the gradient of a gradient with respect to its seeds, of
  // which only the shapes are read.
  void differentiate() {
    std::vector<ValueId> wanted, seeds;
    std::vector<size_t> carries;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (has_tangent_[i]) wanted.push_back(inputs_[i]);
    }
    for (size_t k = 0; k < next_.size(); ++k) {
      if (!has_tangent_[k]) continue;
      carries.push_back(k);
      seeds.push_back(call("fill_like", {at(next_[k].value), 0.0}).id);
    }
    ReverseMode gradient(joint_, prefix_ + "grad.", wanted);
    for (size_t n = 0; n < seeds.size(); ++n) gradient.seed(next_[carries[n]].value, seeds[n]);
    gradient.run();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!has_tangent_[i]) continue;
      Value value = joint_.value(inputs_[i]);
      value.name = prefix_ + value.name;
      tangents_.emplace(i, joint_.add_input(std::move(value)));
    }
    ReverseMode product(joint_, prefix_ + "product.", seeds);
    for (const auto& [i, tangent] : tangents_) {
      const auto& by = gradient.gradient(inputs_[i]);
      if (by) product.seed(*by, in_dtype(at(tangent), joint_.value(*by).dtype).id);
    }
    product.run();
    for (size_t n = 0; n < seeds.size(); ++n)
      results_.push_back(product.gradient_or_zeros(seeds[n], prefix_ + next_[carries[n]].name));
  }

  Expression at(ValueId id) { return {&joint_, id, &prefix_}; }

  Graph step(const std::vector<ValueId>& inputs) const {
    Graph step;
    step.share_facts(joint_);
    step.set_default_dtype(joint_.default_dtype());
    std::unordered_map<ValueId, ValueId> mapped;
    for (const ValueId id : inputs) mapped.emplace(id, step.add_input(joint_.value(id)));
    copy_rest(joint_, step, mapped);
    for (const Output& output : next_) step.add_output(output.name, mapped.at(output.value));
    for (const ValueId id : results_)
      step.add_output("tangent_" + std::to_string(step.outputs().size()), mapped.at(id));
    step.drop_unread();
    return step;
  }

  Graph condition(std::vector<Value>& inputs) const {
    Graph condition;
    condition.share_facts(condition_);
    condition.set_default_dtype(condition_.default_dtype());
    std::unordered_map<std::string, ValueId> named;
    for (Value& value : inputs) {
      const std::string name = value.name;
      named.emplace(name, condition.add_input(std::move(value)));
    }
    std::unordered_map<ValueId, ValueId> mapped;
    for (const ValueId id : condition_.inputs())
      mapped.emplace(id, named.at(condition_.value(id).name));
    copy_rest(condition_, condition, mapped);
    for (const Output& output : condition_.outputs())
      condition.add_output(output.name, mapped.at(output.value));
    return condition;
  }

  static void copy_rest(const Graph& from, Graph& to,
                        std::unordered_map<ValueId, ValueId>& mapped) {
    for (const Constant& constant : from.constants())
      mapped.emplace(constant.value,
                     to.add_constant(from.value(constant.value).name, constant.tensor));
    for (const Node& node : from.nodes()) copy_node(from, node, to, mapped);
  }

  const Graph condition_;
  Graph joint_;  // the body and its derivatives
  const std::vector<ValueId> inputs_;
  const std::vector<Output> next_;
  const std::string prefix_;
  std::vector<bool> has_tangent_;       // per argument
  std::map<size_t, ValueId> tangents_;  // per argument, the input of the joint graph
  std::vector<ValueId> results_;        // the tangents of the next carries
};

}  // namespace

void differentiate_while(GradContext& c) {
  const auto body = nested_graph(c.value("body"));
  const Graph& step = body->graph();
  std::vector<size_t> seeds;
  for (size_t k = 0; k < step.outputs().size(); ++k) {
    const bool flows = is_floating(step.value(step.outputs()[k].value).dtype);
    if (flows && c.has_out_grad(static_cast<int>(k))) seeds.push_back(k);
  }
  const std::vector<size_t> wanted = arguments_before(c, *body, seeds);
  if (wanted.empty()) return;
  std::vector<Operand> operands;
  for (int i = 0; i < c.list_size(); ++i) operands.emplace_back(c.in("arguments", i));
  for (const size_t k : seeds)
    operands.emplace_back(
        in_dtype(c.out_grad(static_cast<int>(k)), step.value(step.outputs()[k].value).dtype));
  std::vector<Value> results;
  for (const size_t i : wanted) {
    results.push_back(c.in("arguments", static_cast<int>(i)).value());
    results.back().dtype = step.value(step.inputs()[i]).dtype;
  }
  for (const Datum& datum : {c.value("condition"), c.value("body"), numbers(seeds), numbers(wanted),
                             results_of_nested(results), Datum(c.out().value().name)})
    operands.emplace_back(datum);
  const std::vector<Expression> made = call_all("while_gradient", operands);
  for (size_t n = 0; n < wanted.size(); ++n)
    c.flow("arguments", made[n], static_cast<int>(wanted[n]));
}

void differentiate_while_gradient(GradContext& c) {
  const auto body = nested_graph(c.value("body"));
  const size_t count = body->graph().inputs().size(), carries = body->graph().outputs().size();
  for (size_t i = 0; i < count; ++i) {
    if (c.needs("arguments", static_cast<int>(i)))
      refuse_gradient(c.value("body"), c.value("result").text());
  }
  const std::vector<size_t> seeds = numbers(c.value("seeds")), wanted = numbers(c.value("wanted"));
  std::vector<std::optional<Expression>> given(count);
  std::vector<bool> has_tangent(count);
  for (size_t n = 0; n < wanted.size(); ++n) {
    const int output = static_cast<int>(n);
    if (!c.has_out_grad(output)) continue;
    given[wanted[n]] = c.out_grad(output);
    has_tangent[wanted[n]] = true;
  }
  if (std::find(has_tangent.begin(), has_tangent.end(), true) == has_tangent.end()) return;
  const TangentLoop loop(*nested_graph(c.value("condition")), *body, std::move(has_tangent));
  const Expression first = c.in("arguments", 0);
  std::vector<ValueId> arguments;
  for (size_t i = 0; i < count; ++i) {
    const DType dtype = body->graph().value(body->graph().inputs()[i]).dtype;
    arguments.push_back(in_dtype(c.in("arguments", static_cast<int>(i)), dtype).id);
  }
  const auto tangent_of = [&](size_t i) {
    const Expression argument{first.graph, arguments[i], first.scope};
    return given[i] ? in_dtype(*given[i], argument.dtype()).id
                    : call("fill_like", {argument, 0.0}).id;
  };
  const std::vector<ValueId> made =
      add_while(*first.graph, loop.loop(arguments, tangent_of), *first.scope + ".tangents");
  size_t next = carries;
  for (size_t k = 0; k < carries; ++k) {
    if (!loop.has_tangent(k)) continue;
    const ValueId tangent = made[next++];
    const auto seed = std::find(seeds.begin(), seeds.end(), k);
    if (seed != seeds.end())
      c.flow("arguments", {first.graph, tangent, first.scope},
             static_cast<int>(count + static_cast<size_t>(seed - seeds.begin())));
  }
}

bool has_while_gradient(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    const std::vector<std::string_view>& ports = nested_graph_ports(*node.op);
    return is_while_gradient(node) ||
           std::any_of(ports.begin(), ports.end(), [&](std::string_view port) {
             return has_while_gradient(nested_graph(node, port)->graph());
           });
  });
}

Graph without_while_gradients(Graph graph) {
  if (!has_while_gradient(graph)) return graph;
  graph.drop_unread();
  refuse_while_gradients(graph);
  return graph;
}

}  // namespace mithril
