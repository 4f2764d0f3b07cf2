#include "backends/cpu/lowering/schedule.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/ops/lower_ops.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr size_t no_group = SIZE_MAX;

class GroupScheduler {
 public:
  GroupScheduler(const ShapedGraph& shaped, NodeGroups groups)
      : shaped_(shaped),
        groups_(std::move(groups)),
        producer_(shaped.graph().values().size(), no_group),
        dependencies_(groups_, shaped.producers()),
        keys_(groups_.size()) {
    for (size_t group = 0; group < groups_.size(); ++group) {
      for (const size_t node : groups_[group]) {
        for (const ValueId id : shaped_.node(node).outputs) producer_[index(id)] = group;
      }
      if (!groups_[group].empty()) keys_[group] = groups_[group].back();
    }
  }

  NodeGroups ordered(std::span<const DonatedBuffer> donated) {
    const size_t last_wait = place_collectives();
    if (!donated.empty()) put_last_consumers_first(donated, last_wait);
    NodeGroups order;
    for (const size_t group : dependencies_.order(keys_)) {
      if (!groups_[group].empty()) order.push_back(std::move(groups_[group]));
    }
    return order;
  }

 private:
  // Returns the group of the last wait, or no_group.
  size_t place_collectives() {
    constexpr size_t when_nothing_else_can_run = SIZE_MAX / 2;
    size_t last_wait = no_group;
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (groups_[group].empty()) continue;
      const size_t node = groups_[group].front();
      if (!shaped_.node(node).op->collective) continue;
      if (!waits(node)) {
        keys_[group] = 0;
        for (const size_t producer : dependencies_.before[group])
          keys_[group] = std::max(keys_[group], keys_[producer]);
        continue;
      }
      keys_[group] = when_nothing_else_can_run + node;
      if (last_wait == no_group || keys_[last_wait] < keys_[group]) last_wait = group;
    }
    return last_wait;
  }

  // Whether a collective reads the results of another one.
  bool waits(size_t node) const {
    return std::any_of(shaped_.tensors(node).begin(), shaped_.tensors(node).end(), [&](ValueId id) {
      const size_t producer = shaped_.producer(id);
      return producer != ShapedGraph::no_node && shaped_.node(producer).op->collective;
    });
  }

  // Runs each update as soon as its inputs are computed, and the consumers of a donated input
  // before the update that overwrites it. Few groups depend on an update, so nearly all can run
  // before it.
  void put_last_consumers_first(std::span<const DonatedBuffer> donated, size_t last_wait) {
    const std::vector<size_t> order = dependencies_.order(keys_);
    const std::vector<size_t> update_of = find_updates(order, donated);
    for (const size_t group : order) {
      if (update_of[group] != group) continue;
      keys_[group] = 0;
      for (const size_t producer : dependencies_.before[group]) {
        keys_[group] = std::max(keys_[group], keys_[producer]);
      }
    }
    const std::vector<std::vector<size_t>> consumers = consumers_by_value();
    for (const DonatedBuffer& at : donated) {
      const size_t update = producer_[index(at.made)];
      if (update == no_group || update_of[update] == no_group) continue;
      if (last_wait != no_group) add_edge(last_wait, update, update_of);
      for (const size_t consumer : consumers_of(at.given, consumers)) {
        if (consumer != update) add_edge(consumer, update, update_of);
      }
    }
  }

  // Per group: the only update that depends on it, directly or through other groups. An update is a
  // group without consumers that computes the new value of a donated input.
  std::vector<size_t> find_updates(const std::vector<size_t>& order,
                                   std::span<const DonatedBuffer> donated) const {
    std::vector<bool> makes_donated(groups_.size());
    for (const DonatedBuffer& at : donated) {
      if (producer_[index(at.made)] != no_group) makes_donated[producer_[index(at.made)]] = true;
    }
    std::vector<size_t> update_of(groups_.size(), no_group);
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const std::vector<size_t>& consumers = dependencies_.after[*at];
      if (consumers.empty()) {
        if (makes_donated[*at]) update_of[*at] = *at;
        continue;
      }
      const size_t update = update_of[consumers.front()];
      const bool same = std::all_of(consumers.begin(), consumers.end(),
                                    [&](size_t consumer) { return update_of[consumer] == update; });
      if (same) update_of[*at] = update;
    }
    return update_of;
  }

  // Per value: the groups that read it.
  std::vector<std::vector<size_t>> consumers_by_value() const {
    std::vector<std::vector<size_t>> consumers(producer_.size());
    for (size_t group = 0; group < groups_.size(); ++group) {
      for (const size_t node : groups_[group]) {
        for (const ValueId id : shaped_.tensors(node)) consumers[index(id)].push_back(group);
      }
    }
    return consumers;
  }

  // The groups that read the value or a view of it.
  std::vector<size_t> consumers_of(ValueId given,
                                   const std::vector<std::vector<size_t>>& by_value) const {
    std::vector<size_t> consumers;
    std::vector<ValueId> views{given};
    for (size_t next = 0; next < views.size(); ++next) {
      for (const size_t group : by_value[index(views[next])]) {
        consumers.push_back(group);
        const size_t node = groups_[group].front();
        const bool is_view = shaped_.node(node).op->keeps_elements || transposed_by(shaped_, node);
        if (is_view && groups_[group].size() == 1) {
          views.push_back(shaped_.node(node).outputs.front());
        }
      }
    }
    return consumers;
  }

  // Orders the consumer before the update, and before the groups that only this update depends on,
  // because they may be fused with it.
  void add_edge(size_t consumer, size_t update, const std::vector<size_t>& update_of) {
    std::vector<size_t> later{update};
    for (const size_t producer : dependencies_.before[update]) {
      if (update_of[producer] == update_of[update]) later.push_back(producer);
    }
    for (const size_t group : later) {
      const std::vector<size_t>& before = dependencies_.before[group];
      const bool known = std::find(before.begin(), before.end(), consumer) != before.end();
      if (known || reaches(group, consumer)) continue;
      dependencies_.before[group].push_back(consumer);
      dependencies_.after[consumer].push_back(group);
    }
  }

  bool reaches(size_t from, size_t to) const {
    std::vector<size_t> reached{from};
    for (size_t next = 0; next < reached.size(); ++next) {
      if (reached[next] == to) return true;
      for (const size_t group : dependencies_.after[reached[next]]) {
        const bool known = std::find(reached.begin(), reached.end(), group) != reached.end();
        if (!known) reached.push_back(group);
      }
    }
    return false;
  }

  const ShapedGraph& shaped_;
  NodeGroups groups_;
  std::vector<size_t> producer_;  // per value: the group; no_group: an input or a constant
  GroupDependencies dependencies_;
  std::vector<size_t> keys_;
};

}  // namespace

NodeGroups schedule(const ShapedGraph& shaped, NodeGroups groups,
                    std::span<const DonatedBuffer> donated) {
  return GroupScheduler(shaped, std::move(groups)).ordered(donated);
}

}  // namespace mithril::cpu_backend
