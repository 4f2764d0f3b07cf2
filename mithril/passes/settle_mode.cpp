#include "mithril/passes/settle_mode.hpp"

#include <algorithm>

#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril {
namespace {

class SettleMode {
 public:
  SettleMode(const Graph& graph, bool inference)
      : from_(graph),
        inference_(inference),
        use_counts_(use_counts(graph)),
        is_made_(graph.values().size()),
        rebuilder_(graph) {}

  Graph run() {
    const std::vector<int> before = use_counts_;
    std::vector<bool> unused(from_.nodes().size());
    for (size_t i = unused.size(); i-- > 0;) unused[i] = leave_unread(from_.nodes()[i], before);
    for (size_t i = 0; i < unused.size(); ++i) {
      const Node& node = from_.nodes()[i];
      if (unused[i]) continue;
      if (is_by_mode(node)) {
        settle(node);
      } else {
        rebuilder_.keep(node);
        for (const ValueId id : node.outputs) is_made_[index(id)] = true;
      }
    }
    return rebuilder_.finish_whole();
  }

 private:
  bool is_by_mode(const Node& node) const { return node.op == &by_mode_; }

  bool is_inference(const Node& node) const {
    const Datum& fixed = std::get<Datum>(node.arguments[node.argument_index("is_inference")]);
    return fixed.kind() == kind::bool_value ? fixed.flag() : inference_;
  }

  ValueId choice(const Node& node, bool inference) const {
    const char* port = inference ? "inference" : "training";
    return std::get<ValueId>(node.arguments[node.argument_index(port)]);
  }

  // Removes the node from the readers of values that it no longer needs. True if it is unused.
  bool leave_unread(const Node& node, const std::vector<int>& before) {
    const auto lost_readers = [&](ValueId id) {
      return before[index(id)] > 0 && use_counts_[index(id)] == 0;
    };
    const auto unread = [&](ValueId id) { return use_counts_[index(id)] == 0; };
    const bool unused = std::all_of(node.outputs.begin(), node.outputs.end(), unread) &&
                        std::any_of(node.outputs.begin(), node.outputs.end(), lost_readers);
    if (unused) {
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) --use_counts_[index(*id)];
      }
    } else if (is_by_mode(node)) {
      --use_counts_[index(choice(node, !is_inference(node)))];
    }
    return unused;
  }

  void settle(const Node& node) {
    const ValueId chosen = choice(node, is_inference(node)), old = node.outputs.front();
    const ValueId now = in_dtype(from_.value(old).dtype, rebuilder_.map(chosen));
    rebuilder_.become(old, now);
    if (!is_made_[index(chosen)] || use_counts_[index(chosen)] > 1) return;
    is_made_[index(old)] = true;
    Value value = rebuilder_.graph().value(now);
    value.name = from_.value(old).name;
    rebuilder_.graph().restate(now, std::move(value));
  }

  // The two sides may have different dtypes; the node has the wider one.
  ValueId in_dtype(DType dtype, ValueId id) {
    Graph& graph = rebuilder_.graph();
    if (graph.value(id).dtype == dtype) return id;
    return graph.add(find_op("cast"), {id, Datum(dtype)}, graph.value(id).name + ".cast").front();
  }

  const Graph& from_;
  const bool inference_;
  const OpDef& by_mode_ = find_op("by_mode");
  std::vector<int> use_counts_;  // without readers in the other mode
  std::vector<bool> is_made_;    // by a node whose output may get another name
  Rebuilder rebuilder_;
};

}  // namespace

bool depends_on_mode(const Graph& graph) {
  const OpDef& by_mode = find_op("by_mode");
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [&](const Node& node) { return node.op == &by_mode; });
}

Graph settle_mode(const Graph& graph, bool inference) {
  return depends_on_mode(graph) ? SettleMode(graph, inference).run() : graph;
}

}  // namespace mithril
