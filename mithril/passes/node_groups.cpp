#include "mithril/passes/node_groups.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

// A limit on the groups that one merge may visit. Beyond it the groups are not merged.
constexpr std::size_t most_visited = 64;

class Grouping {
 public:
  Grouping(std::span<const std::vector<std::size_t>> producers, const NodeGroupRules& rules)
      : producers_(producers),
        rules_(rules),
        group_of_(producers.size()),
        groups_(producers.size()),
        newest_(producers.size()),
        consumers_(producers.size()) {
    for (std::size_t i = 0; i < producers.size(); ++i) {
      for (const std::size_t producer : producers[i]) consumers_[producer].push_back(i);
      group_of_[i] = i;
      groups_[i] = {i};
      newest_[i] = i;
      for (const std::size_t producer : producers[i]) join(producer, i);
    }
  }

  NodeGroups groups() && { return std::move(groups_); }

 private:
  void join(std::size_t producer, std::size_t node) {
    const std::size_t from = group_of_[producer], to = group_of_[node];
    if (from == to || groups_[from].size() + groups_[to].size() > rules_.most_nodes) return;
    if (!rules_.may_merge(groups_[from], groups_[to], producer, node)) return;
    if (reaches_outside(from, to) || reaches_outside(to, from)) return;
    if (raise_newest(from, node)) merge(from, to);
  }

  // The groups that a group reads from, each once.
  std::vector<std::size_t> predecessors(std::size_t group) const {
    std::vector<std::size_t> found;
    for (const std::size_t node : groups_[group]) {
      for (const std::size_t producer : producers_[node]) {
        if (group_of_[producer] != group) found.push_back(group_of_[producer]);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Whether `to` depends on `from` through other groups. True, too, if there are too many to visit.
  bool reaches_outside(std::size_t from, std::size_t to) const {
    const std::size_t first = groups_[from].front();
    std::vector<std::size_t> seen, waiting;
    const auto visit = [&](std::size_t group) {
      const bool older = newest_[group] < first;
      if (older || seen.size() > most_visited ||
          std::find(seen.begin(), seen.end(), group) != seen.end())
        return;
      seen.push_back(group);
      waiting.push_back(group);
    };
    for (const std::size_t before : predecessors(to)) {
      if (before != from) visit(before);
    }
    while (!waiting.empty()) {
      const std::size_t group = waiting.back();
      waiting.pop_back();
      if (group == from || seen.size() > most_visited) return true;
      for (const std::size_t before : predecessors(group)) visit(before);
    }
    return false;
  }

  // Raises the newest node of all groups that depend on the group. False, and nothing changes, if
  // there are too many.
  bool raise_newest(std::size_t from, std::size_t node) {
    std::vector<std::size_t> raised{from};
    for (std::size_t next = 0; next < raised.size(); ++next) {
      for (const std::size_t member : groups_[raised[next]]) {
        for (const std::size_t consumer : consumers_[member]) {
          const std::size_t group = group_of_[consumer];
          const bool known = std::find(raised.begin(), raised.end(), group) != raised.end();
          if (newest_[group] < node && !known) raised.push_back(group);
        }
      }
      if (raised.size() > most_visited) return false;
    }
    for (const std::size_t group : raised) newest_[group] = node;
    return true;
  }

  void merge(std::size_t from, std::size_t to) {
    std::vector<std::size_t> nodes;
    std::merge(groups_[from].begin(), groups_[from].end(), groups_[to].begin(), groups_[to].end(),
               std::back_inserter(nodes));
    for (const std::size_t node : groups_[from]) group_of_[node] = to;
    groups_[from].clear();
    groups_[to] = std::move(nodes);
  }

  const std::span<const std::vector<std::size_t>> producers_;
  const NodeGroupRules& rules_;
  std::vector<std::size_t> group_of_;  // per node
  NodeGroups groups_;                  // a group that was merged into another is empty
  // Per group: the last of its nodes and of all nodes that it depends on.
  std::vector<std::size_t> newest_;
  std::vector<std::vector<std::size_t>> consumers_;  // per node: those that read its outputs
};

}  // namespace

NodeGroups group_nodes(std::span<const std::vector<std::size_t>> producers,
                       const NodeGroupRules& rules) {
  return Grouping(producers, rules).groups();
}

GroupDependencies::GroupDependencies(const NodeGroups& groups,
                                     std::span<const std::vector<std::size_t>> producers)
    : before(groups.size()), after(groups.size()) {
  std::vector<std::size_t> group_of(producers.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::size_t node : groups[group]) group_of[node] = group;
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<std::size_t>& found = before[group];
    for (const std::size_t node : groups[group]) {
      for (const std::size_t producer : producers[node]) {
        if (group_of[producer] != group) found.push_back(group_of[producer]);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const std::size_t producer : found) after[producer].push_back(group);
  }
}

std::vector<std::size_t> GroupDependencies::order(std::span<const std::size_t> keys) const {
  using Ready = std::pair<std::size_t, std::size_t>;  // key, group
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  std::vector<std::size_t> waiting(before.size()), order;
  for (std::size_t group = 0; group < before.size(); ++group) {
    waiting[group] = before[group].size();
    if (waiting[group] == 0) ready.emplace(keys[group], group);
  }
  while (!ready.empty()) {
    const std::size_t group = ready.top().second;
    ready.pop();
    order.push_back(group);
    for (const std::size_t consumer : after[group]) {
      if (--waiting[consumer] == 0) ready.emplace(keys[consumer], consumer);
    }
  }
  MITHRIL_CHECK(order.size() == before.size(), "groups of nodes depend on each other in a cycle");
  return order;
}

}  // namespace mithril
