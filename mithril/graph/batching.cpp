#include "mithril/graph/batching.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/graph/batch_context.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

Batching::Batching(Graph& graph, std::string prefix, Dim size)
    : graph_(graph),
      prefix_(std::move(prefix)),
      size_(std::move(size)),
      node_count_(graph.nodes().size()),
      batched_(graph.values().size()) {
  for (size_t i = 0; i < graph.values().size(); ++i) shared_.push_back(static_cast<ValueId>(i));
}

void Batching::mark_needed(const std::vector<ValueId>& wanted) {
  needed_.assign(batched_.size(), false);
  for (const ValueId id : wanted) needed_[index(id)] = true;
  for (size_t i = node_count_; i-- > 0;) {
    const Node& node = graph_.node(static_cast<NodeId>(i));
    if (std::none_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId id) { return needed_[index(id)] && !batched_[index(id)]; }))
      continue;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) needed_[index(*id)] = true;
    }
  }
}

bool Batching::has_batched(const Node& node) const {
  return std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
    const ValueId* id = tensor_of(argument);
    return id && (batched_[index(*id)] || shared_[index(*id)] != *id);
  });
}

void Batching::run(const std::vector<ValueId>& wanted) {
  mark_needed(wanted);
  for (size_t i = 0; i < node_count_; ++i) {
    const Node node = graph_.node(static_cast<NodeId>(i));
    const bool is_needed = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return needed_[index(id)] && !batched_[index(id)];
    });
    if (is_needed && has_batched(node)) batch(node);
  }
  if (refused_.empty()) return;
  std::string list;
  for (const std::string& entry : refused_) list += (list.empty() ? "" : "; ") + entry;
  raise({.kind = ErrorKind::value,
         .code = "E0427",
         .message = "vmap cannot compute " + list,
         .help = open_rank_ ? "give the shapes of the inputs"
                            : "compute these outside of vmap, or give the op a batching rule "
                              "(OpDef::batch)"});
}

void Batching::refuse(const Node& node, const std::string& why) {
  refused_.push_back("'" + graph_.value(node.outputs.front()).name + "', an op " + node.op->name +
                     ": " + why);
}

void Batching::refuse_open_rank(const Node& node, const std::string& port) {
  open_rank_ = true;
  refuse(node, "the rank of its " + port + " is not known");
}

void Batching::batch(const Node& node) {
  Node mapped{node.op, node.arguments, node.outputs};
  std::vector<bool> batched;
  for (Argument& argument : mapped.arguments) {
    ValueId* id = std::get_if<ValueId>(&argument);
    batched.push_back(id && batched_[index(*id)]);
    if (!id) continue;
    if (!graph_.value(*id).ranked) return refuse_open_rank(node, "input");
    *id = batched.back() ? *batched_[index(*id)] : shared_[index(*id)];
  }
  std::vector<Value> outputs;
  for (const ValueId id : node.outputs) {
    outputs.push_back(graph_.value(id));
    if (!outputs.back().ranked) return refuse_open_rank(node, "output");
  }
  const std::string& scope = scopes_.emplace_back(prefix_ + outputs.front().name);
  BatchContext context(graph_, mapped, scope, size_, batched, outputs);
  if (std::none_of(batched.begin(), batched.end(), [](bool is) { return is; })) {
    const std::vector<Expression> results = call_all(node.op->name, context.operands());
    for (size_t i = 0; i < results.size(); ++i)
      context.become_shared(results[i], static_cast<int>(i));
  } else if (node.op->batch) {
    node.op->batch(context);
  } else if (!batch_by_patterns(context)) {
    return refuse(node, "it has no batching rule for these inputs");
  }
  if (context.why()) return refuse(node, *context.why());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto& result = context.results()[i];
    const size_t at = index(node.outputs[i]);
    if (!result) faulty_record(*node.op, "its batching rule leaves out an output");
    if (result->batched) {
      batched_[at] = result->value;
    } else {
      shared_[at] = result->value;
    }
  }
}

}  // namespace mithril
