#include "mithril/passes/partition.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/infer/size_program.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

constexpr size_t unmade = SIZE_MAX;  // the segment of inputs and constants

// Per node, the number of crossings between members before it.
std::vector<size_t> crossings_before(const Graph& graph, std::span<const size_t> members) {
  std::vector<size_t> maker(graph.values().size(), unmade), levels(graph.nodes().size());
  for (size_t i = 0; i < levels.size(); ++i) {
    const Node& node = graph.nodes()[i];
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (!id || maker[index(*id)] == unmade) continue;
      const size_t before = maker[index(*id)];
      levels[i] = std::max(levels[i], levels[before] + (members[before] != members[i]));
    }
    for (const ValueId id : node.outputs) maker[index(id)] = i;
  }
  return levels;
}

// The nodes of each segment. Nodes of one level and different members do not read each other, so
// each level starts with the member that ended the level before it, and ends with one that the next
// level has.
std::vector<std::vector<size_t>> grouped_nodes(const Graph& graph,
                                               std::span<const size_t> members) {
  const std::vector<size_t> level_of = crossings_before(graph, members);
  std::vector<std::map<size_t, std::vector<size_t>>> levels;  // by member
  for (size_t i = 0; i < level_of.size(); ++i) {
    if (levels.size() <= level_of[i]) levels.resize(level_of[i] + 1);
    levels[level_of[i]][members[i]].push_back(i);
  }
  std::vector<std::vector<size_t>> segments;
  const auto add = [&](std::vector<size_t> nodes) {
    const bool joins =
        !segments.empty() && members[segments.back().front()] == members[nodes.front()];
    if (!joins) segments.emplace_back();
    segments.back().insert(segments.back().end(), nodes.begin(), nodes.end());
  };
  for (size_t level = 0; level < levels.size(); ++level) {
    auto& groups = levels[level];
    const auto take = [&](size_t member) {
      const auto group = groups.find(member);
      if (group == groups.end()) return;
      add(std::move(group->second));
      groups.erase(group);
    };
    if (!segments.empty()) take(members[segments.back().front()]);
    std::optional<size_t> last;
    for (const auto& [member, nodes] : groups) {
      if (level + 1 < levels.size() && levels[level + 1].contains(member)) last = member;
    }
    while (!groups.empty()) {
      const auto next = groups.begin();
      take(next->first == last && groups.size() > 1 ? std::next(next)->first : next->first);
    }
  }
  for (std::vector<size_t>& nodes : segments) std::sort(nodes.begin(), nodes.end());
  return segments;
}

class SegmentBuilder {
 public:
  SegmentBuilder(const Graph& whole, const std::vector<size_t>& nodes,
                 const std::vector<bool>& constants)
      : whole_(whole), constants_(constants), map_(whole.values().size(), nowhere) {
    segment_.graph.share_facts(whole);
    segment_.graph.set_default_dtype(whole.default_dtype());
    for (const size_t i : nodes) {
      for (const ValueId id : whole.nodes()[i].outputs) own_.insert(id);
    }
    for (const size_t i : nodes) take_arguments(whole.nodes()[i]);
  }

  // Adds inputs from which the sizes in the values of nodes follow, if its own do not determine
  // them: first those with the same symbols, then any others (a size may be a product of symbols).
  void take_sizes(const std::vector<size_t>& nodes, const std::vector<ValueId>& candidates) {
    const std::vector<Dim> sizes = sizes_in(nodes);
    if (all_follow(sizes)) return;
    std::set<const Symbol*> open = symbols_in(sizes);
    for (const ValueId id : candidates) {
      const std::set<const Symbol*> known = symbols_in(whole_.value(id).dims);
      const bool useful = std::any_of(known.begin(), known.end(),
                                      [&](const Symbol* symbol) { return open.contains(symbol); });
      if (!useful || !can_take(id)) continue;
      take(id);
      for (const Symbol* symbol : known) open.erase(symbol);
    }
    for (const ValueId id : candidates) {
      if (all_follow(sizes)) return;
      if (can_take(id) && !symbols_in(whole_.value(id).dims).empty()) take(id);
    }
  }

  const std::vector<ValueId>& inputs() const { return segment_.inputs; }

  GraphSegment run(const std::vector<size_t>& nodes, const std::vector<bool>& read_later) {
    for (const Constant& constant : whole_.constants()) {
      if (!read_.contains(constant.value)) continue;
      map_[index(constant.value)] =
          segment_.graph.add_constant(whole_.value(constant.value).name, constant.tensor);
    }
    for (const size_t i : nodes) add(whole_.nodes()[i]);
    for (const size_t i : nodes) {
      for (const ValueId id : whole_.nodes()[i].outputs) {
        if (!read_later[index(id)]) continue;
        segment_.outputs.push_back(id);
        segment_.graph.add_output(whole_.value(id).name, map_[index(id)]);
      }
    }
    return std::move(segment_);
  }

 private:
  void take_arguments(const Node& node) {
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (!id) continue;
      read_.insert(*id);
      const bool given = !own_.contains(*id) && !constants_[index(*id)];
      if (given && map_[index(*id)] == nowhere) take(*id);
    }
  }

  void take(ValueId id) {
    map_[index(id)] = segment_.graph.add_input(whole_.value(id));
    segment_.inputs.push_back(id);
  }

  bool can_take(ValueId id) const { return !own_.contains(id) && map_[index(id)] == nowhere; }

  static std::set<const Symbol*> symbols_in(const std::vector<Dim>& dims) {
    std::set<const Symbol*> symbols;
    for (const Dim& dim : dims) {
      each_symbol(resolve(dim), [&](Symbol* symbol) { symbols.insert(symbol); });
    }
    return symbols;
  }

  // The sizes in the values of nodes that are not numbers.
  std::vector<Dim> sizes_in(const std::vector<size_t>& nodes) const {
    std::vector<Dim> sizes;
    for (const size_t i : nodes) {
      for (const Argument& argument : whole_.nodes()[i].arguments) {
        if (tensor_of(argument)) continue;
        map_dims(std::get<Datum>(argument), [&](const Dim& dim) {
          if (!resolve(dim).is_constant()) sizes.push_back(dim);
          return dim;
        });
      }
    }
    return sizes;
  }

  bool all_follow(const std::vector<Dim>& sizes) const {
    if (sizes.empty()) return true;
    SizeProgram program;
    for (const ValueId id : segment_.inputs) {
      for (const Dim& dim : whole_.value(id).dims) program.observe(dim);
    }
    return std::all_of(sizes.begin(), sizes.end(),
                       [&](const Dim& dim) { return program.follows(dim); });
  }

  void add(Node node) {
    for (Argument& argument : node.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) *id = map_[index(*id)];
    }
    for (ValueId& id : node.outputs) {
      map_[index(id)] = segment_.graph.add_value(whole_.value(id));
      id = map_[index(id)];
    }
    segment_.graph.add_node(std::move(node));
  }

  const Graph& whole_;
  const std::vector<bool>& constants_;  // per value
  std::vector<ValueId> map_;            // per value of the whole graph
  std::set<ValueId> own_, read_;
  GraphSegment segment_;
};

// Per value: the graph has it as an output, or a node of another segment reads it.
std::vector<bool> values_read_later(const Graph& graph,
                                    const std::vector<std::vector<size_t>>& segments) {
  std::vector<size_t> made_in(graph.values().size(), unmade);
  for (size_t s = 0; s < segments.size(); ++s) {
    for (const size_t i : segments[s]) {
      for (const ValueId id : graph.nodes()[i].outputs) made_in[index(id)] = s;
    }
  }
  std::vector<bool> later(graph.values().size());
  for (const Output& output : graph.outputs()) later[index(output.value)] = true;
  for (size_t s = 0; s < segments.size(); ++s) {
    for (const size_t i : segments[s]) {
      for (const Argument& argument : graph.nodes()[i].arguments) {
        const ValueId* id = tensor_of(argument);
        if (id && made_in[index(*id)] != s) later[index(*id)] = true;
      }
    }
  }
  return later;
}

}  // namespace

std::vector<GraphSegment> partition(const Graph& graph, std::span<const size_t> members) {
  MITHRIL_CHECK(members.size() == graph.nodes().size(), "a backend for each node");
  const std::vector<std::vector<size_t>> groups = grouped_nodes(graph, members);
  std::vector<bool> constants(graph.values().size());
  for (const Constant& constant : graph.constants()) constants[index(constant.value)] = true;
  std::vector<bool> read_later = values_read_later(graph, groups);
  // A segment that needs a size of an earlier one reads a value of it.
  std::vector<SegmentBuilder> builders;
  std::vector<ValueId> known = graph.inputs();
  for (const std::vector<size_t>& nodes : groups) {
    SegmentBuilder& builder = builders.emplace_back(graph, nodes, constants);
    builder.take_sizes(nodes, known);
    for (const size_t i : nodes) {
      known.insert(known.end(), graph.nodes()[i].outputs.begin(), graph.nodes()[i].outputs.end());
    }
    for (const ValueId id : builder.inputs()) read_later[index(id)] = true;
  }
  std::vector<GraphSegment> segments;
  for (size_t s = 0; s < groups.size(); ++s) {
    GraphSegment& segment = segments.emplace_back(builders[s].run(groups[s], read_later));
    segment.member = members[groups[s].front()];
  }
  return segments;
}

}  // namespace mithril
