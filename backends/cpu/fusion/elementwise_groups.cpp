#include "backends/cpu/fusion/elementwise_groups.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/cpu/elementwise/program_builder.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// Limits on the nodes of a group and on the groups that one merge may visit. Beyond them the groups
// are not merged.
constexpr size_t most_nodes = 16, most_visited = 64;

class Fusion {
 public:
  Fusion(const ShapedGraph& shaped, const std::vector<bool>& alone)
      : shaped_(shaped),
        dtypes_(shaped.node_count()),
        group_of_(shaped.node_count()),
        groups_(shaped.node_count()),
        newest_(shaped.node_count()),
        consumers_(shaped.node_count()) {
    for (size_t i = 0; i < shaped.node_count(); ++i) {
      each_producer(i, [&](size_t producer) { consumers_[producer].push_back(i); });
      group_of_[i] = i;
      groups_[i] = {i};
      newest_[i] = i;
      if (!alone[i]) dtypes_[i] = dtype_in_program(i);
      if (dtypes_[i]) join_producers(i);
    }
  }

  std::vector<std::vector<size_t>> groups() && { return std::move(groups_); }

 private:
  std::optional<DType> dtype_in_program(size_t node) const {
    const auto dtype = elementwise_dtype(shaped_, node);
    const size_t nodes[] = {node};
    return dtype && make_elementwise_program(shaped_, nodes, shaped_.node(node).outputs)
               ? dtype
               : std::nullopt;
  }

  template <typename Visit>
  void each_producer(size_t node, Visit visit) const {
    for (const ValueId id : shaped_.tensors(node)) {
      const size_t producer = shaped_.producer(id);
      if (producer != ShapedGraph::no_node) visit(producer);
    }
  }

  // The groups that a group reads from, each once.
  std::vector<size_t> predecessors(size_t group) const {
    std::vector<size_t> found;
    for (const size_t node : groups_[group]) {
      each_producer(node, [&](size_t producer) {
        if (group_of_[producer] != group) found.push_back(group_of_[producer]);
      });
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void join_producers(size_t node) {
    each_producer(node, [&](size_t producer) {
      const size_t from = group_of_[producer], to = group_of_[node];
      if (from == to || dtypes_[producer] != dtypes_[node]) return;
      if (shaped_.dims(shaped_.node(producer).outputs.front()) !=
          shaped_.dims(shaped_.node(node).outputs.front())) {
        return;
      }
      if (groups_[from].size() + groups_[to].size() > most_nodes) return;
      if (reads_rounded(from, to) || reads_rounded(to, from)) return;
      if (reaches_outside(from, to) || reaches_outside(to, from)) return;
      if (raise_newest(from, node)) merge(from, to);
    });
  }

  // Whether a node of `to` reads a result of `from` that is rounded to 16 bits.
  bool reads_rounded(size_t from, size_t to) const {
    bool found = false;
    for (const size_t node : groups_[to]) {
      each_producer(node, [&](size_t producer) {
        found = found || (group_of_[producer] == from && is_rounded(shaped_, producer));
      });
    }
    return found;
  }

  // Whether `to` depends on `from` through other groups. True, too, if there are too many to visit.
  bool reaches_outside(size_t from, size_t to) const {
    const size_t first = groups_[from].front();
    std::vector<size_t> seen, waiting;
    const auto visit = [&](size_t group) {
      const bool older = newest_[group] < first;
      if (older || seen.size() > most_visited ||
          std::find(seen.begin(), seen.end(), group) != seen.end())
        return;
      seen.push_back(group);
      waiting.push_back(group);
    };
    for (const size_t before : predecessors(to)) {
      if (before != from) visit(before);
    }
    while (!waiting.empty()) {
      const size_t group = waiting.back();
      waiting.pop_back();
      if (group == from || seen.size() > most_visited) return true;
      for (const size_t before : predecessors(group)) visit(before);
    }
    return false;
  }

  // Raises the newest node of all groups that depend on the group. False, and nothing changes, if
  // there are too many.
  bool raise_newest(size_t from, size_t node) {
    std::vector<size_t> raised{from};
    for (size_t next = 0; next < raised.size(); ++next) {
      for (const size_t member : groups_[raised[next]]) {
        for (const size_t consumer : consumers_[member]) {
          const size_t group = group_of_[consumer];
          const bool known = std::find(raised.begin(), raised.end(), group) != raised.end();
          if (newest_[group] < node && !known) raised.push_back(group);
        }
      }
      if (raised.size() > most_visited) return false;
    }
    for (const size_t group : raised) newest_[group] = node;
    return true;
  }

  void merge(size_t from, size_t to) {
    std::vector<size_t> nodes;
    std::merge(groups_[from].begin(), groups_[from].end(), groups_[to].begin(), groups_[to].end(),
               std::back_inserter(nodes));
    for (const size_t node : groups_[from]) group_of_[node] = to;
    groups_[from].clear();
    groups_[to] = std::move(nodes);
  }

  const ShapedGraph& shaped_;
  std::vector<std::optional<DType>> dtypes_;  // per node; none: it is not fused
  std::vector<size_t> group_of_;              // per node
  std::vector<std::vector<size_t>> groups_;   // a group that was merged into another is empty
  // Per group: the last of its nodes and of all nodes that it depends on.
  std::vector<size_t> newest_;
  std::vector<std::vector<size_t>> consumers_;  // per node: the nodes so far that read its outputs
};

}  // namespace

NodeGroups fuse_elementwise(const LoweringContext& context) {
  const ShapedGraph& shaped = context.shaped;
  std::vector<bool> alone;
  for (size_t i = 0; i < shaped.node_count(); ++i) {
    alone.push_back(!context.config.fuse || shaped.node(i).op->keeps_elements ||
                    context.is_observed(i));
  }
  return Fusion(shaped, alone).groups();
}

}  // namespace mithril::cpu_backend
