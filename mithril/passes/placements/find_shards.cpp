#include "mithril/passes/placements/find_shards.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/placements/argument_ports.hpp"
#include "mithril/passes/placements/linear_ports.hpp"

namespace mithril {
namespace {

class ShardSearch {
 public:
  ShardSearch(const Graph& graph, const ShardRules& rules, const ShardOptions& options)
      : graph_(graph),
        rules_(rules),
        options_(options),
        wanted_sums_(graph, PlacementOptions{}),
        whole_(options.whole_values.begin(), options.whole_values.end()),
        wanted_(graph.values().size()),
        makers_(graph.values().size(), -1) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ValueId id : graph.nodes()[i].outputs) makers_[index(id)] = static_cast<int>(i);
    }
    found_.of.resize(graph.values().size());
    found_.reduced.resize(graph.values().size());
    found_.gathered.resize(graph.values().size());
  }

  FoundShards run() {
    search();
    wanted_sums_.add_sums(graph_, found_.of);
    found_.reduced.assign(found_.reduced.size(), false);
    do {
      grew_ = false;
      search();
      if (!grew_) cut_earlier();
    } while (grew_);
    for (size_t i = 0; i < found_.of.size(); ++i)
      found_.reduced[i] = found_.reduced[i] && found_.of[i].is_partial();
    return std::move(found_);
  }

 private:
  const Node& node(NodeId id) const { return graph_.node(id); }
  Placement read(ValueId id) const { return found_.read(id); }

  void search() {
    found_.arguments.assign(graph_.nodes().size(), {});
    found_.reshapes.assign(graph_.nodes().size(), false);
    found_.masked.assign(graph_.nodes().size(), {});
    found_.gathered.assign(found_.gathered.size(), false);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const bool is_cut = i < options_.input_axes.size() && options_.input_axes[i];
      set(graph_.inputs()[i], is_cut ? Placement::sharded(*options_.input_axes[i]) : Placement{});
    }
    for (size_t i = 0; i < graph_.nodes().size(); ++i) visit(static_cast<NodeId>(i));
    for (const Output& output : graph_.outputs()) {
      if (read(output.value).is_partial()) reduce(output.value);
    }
  }

  void set(ValueId id, Placement placement) {
    const bool whole = whole_.contains(graph_.value(id).name);
    found_.gathered[index(id)] = whole && placement.is_sharded();
    // Maxima and minima are not terms.
    if (placement.is_partial() && (whole || placement.reduction != Reduction::sum))
      found_.reduced[index(id)] = true;
    found_.of[index(id)] = std::move(placement);
  }

  void reduce(ValueId id) {
    grew_ = grew_ || !found_.reduced[index(id)];
    found_.reduced[index(id)] = true;
  }

  // Reduces the value, or the one that it is a multiple of: it is made earlier.
  void reduce_first(ValueId id) {
    while (makers_[index(id)] >= 0) {
      const auto maker = static_cast<NodeId>(makers_[index(id)]);
      const ValueId* term =
          only_argument(node(maker), [&](ValueId argument) { return read(argument).is_partial(); });
      if (!term || !found_.masked[index(maker)].empty()) break;
      const bool fits = graph_.value(*term).dtype == graph_.value(id).dtype &&
                        element_count(rules_.dims(*term)) <= element_count(rules_.dims(id));
      if (!fits) break;
      id = *term;
    }
    reduce(id);
  }

  void visit(NodeId id) {
    const Node& node = this->node(id);
    const ArgumentPorts ports(node);
    std::vector<Placement> placements(node.arguments.size());
    std::vector<bool> partial(node.arguments.size());
    bool reads_blocks = false, has_blocks = false, has_terms = false;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* argument = tensor_of(node.arguments[i]);
      if (!argument) continue;
      placements[i] = read(*argument);
      partial[i] = placements[i].is_partial() && reads_elements(ports[i]);
      has_terms = has_terms || partial[i];
      has_blocks = has_blocks || placements[i].is_sharded();
      reads_blocks = reads_blocks || (placements[i].is_sharded() && reads_elements(ports[i]));
      if (placements[i].is_partial() && !partial[i]) placements[i] = {};  // its dims are whole
    }
    found_.arguments[index(id)].assign(node.arguments.size(), {});
    if (has_terms && !reads_blocks && stays_partial(id, partial)) return;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      if (!partial[i]) continue;
      reduce_first(*tensor_of(node.arguments[i]));
      placements[i] = {};
    }
    if (node.op->collective) return exchange(id, placements);
    const std::optional<Placement>& wanted = wanted_[index(node.outputs.front())];
    if (has_blocks || wanted) return follow(id, placements, reads_blocks);
    for (const ValueId output : node.outputs) set(output, {});
  }

  // An exchange with processes that hold the same blocks, unless it is that of this group.
  void exchange(NodeId id, const std::vector<Placement>& placements) {
    const Node& node = this->node(id);
    const auto is_own = [&](const Argument& argument) {
      const Datum* datum = std::get_if<Datum>(&argument);
      return datum && datum->kind() == kind::string && datum->text() == options_.group;
    };
    const bool own = std::any_of(node.arguments.begin(), node.arguments.end(), is_own);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (own && placements[i].is_sharded()) found_.arguments[index(id)][i] = {FormKind::whole, {}};
      set(node.outputs[i], own ? Placement{} : placements[i]);
    }
  }

  // Whether terms of the arguments give terms of the outputs.
  bool stays_partial(NodeId id, const std::vector<bool>& partial) {
    const Node& node = this->node(id);
    int64_t elements = 0, made = 0;
    for (size_t i = 0; i < partial.size(); ++i) {
      if (partial[i]) elements += element_count(rules_.dims(*tensor_of(node.arguments[i])));
    }
    const auto mixed = linear_together(graph_, node, partial);
    if (!mixed) return false;
    const bool wanted = wanted_sums_.of_node(node);
    if (!mixed->empty() && !wanted) return false;
    for (const ValueId output : node.outputs) made += element_count(rules_.dims(output));
    // It costs less to reduce a value before its elements are repeated.
    if (made > elements && !wanted) return false;
    found_.masked[index(id)] = *mixed;
    for (const ValueId output : node.outputs) set(output, Placement::partial());
    // A tensor whose dims alone are read has those of the whole value.
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* argument = tensor_of(node.arguments[i]);
      if (argument && read(*argument).is_sharded())
        found_.arguments[index(id)][i] = {FormKind::dims, {}};
    }
    return true;
  }

  void follow(NodeId id, const std::vector<Placement>& placements, bool reads_blocks) {
    const std::optional<Placement>& wanted = wanted_[index(node(id).outputs.front())];
    if (wanted && apply(id, rules_.find(id, placements, wanted))) return;
    if (apply(id, rules_.find(id, placements))) return;
    if (reads_blocks) {
      for (const size_t gathered : by_cost(id, placements)) {
        std::vector<Placement> others = placements;
        others[gathered] = {};
        if (apply(id, rules_.find(id, others))) {
          ArgumentForm& form = found_.arguments[index(id)][gathered];
          if (form.kind == FormKind::made) form.kind = FormKind::whole;
          return;
        }
      }
    }
    replicate(id, placements);
  }

  bool apply(NodeId id, std::optional<ShardedNode> how) {
    if (!how) return false;
    found_.arguments[index(id)] = std::move(how->arguments);
    found_.reshapes[index(id)] = how->reshapes;
    for (size_t i = 0; i < how->results.size(); ++i)
      set(node(id).outputs[i], std::move(how->results[i]));
    return true;
  }

  // The arguments that hold blocks, if there are several: those that cost least to gather first.
  // Inputs are last, because whole parameters would need memory, too.
  std::vector<size_t> by_cost(NodeId id, const std::vector<Placement>& placements) const {
    const Node& node = this->node(id);
    const ArgumentPorts ports(node);
    std::vector<size_t> order;
    for (size_t i = 0; i < placements.size(); ++i) {
      if (placements[i].is_sharded() && reads_elements(ports[i])) order.push_back(i);
    }
    if (order.size() < 2) return {};
    const auto cost = [&](size_t i) {
      const ValueId argument = *tensor_of(node.arguments[i]);
      return std::pair(makers_[index(argument)] < 0, element_count(rules_.dims(argument)));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return cost(a) < cost(b); });
    return order;
  }

  // Computes the node on whole values.
  void replicate(NodeId id, const std::vector<Placement>& placements) {
    const Node& node = this->node(id);
    const ArgumentPorts ports(node);
    for (size_t i = 0; i < placements.size(); ++i) {
      ArgumentForm& form = found_.arguments[index(id)][i];
      form = {};
      if (placements[i].is_sharded())
        form.kind = reads_elements(ports[i]) ? FormKind::whole : FormKind::dims;
    }
    found_.reshapes[index(id)] = false;
    for (const ValueId output : node.outputs) set(output, {});
  }

  // Where all readers of a whole value cut it alike, its maker computes the block.
  void cut_earlier() {
    std::vector<std::vector<Placement>> cuts(graph_.values().size());
    std::vector<bool> read_whole(graph_.values().size());
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId id = graph_.outputs()[i].value;
      const bool is_cut = i < options_.output_axes.size() && options_.output_axes[i];
      if (is_cut)
        cuts[index(id)].push_back(Placement::sharded(*options_.output_axes[i]));
      else
        read_whole[index(id)] = true;
    }
    for (size_t i = graph_.nodes().size(); i-- > 0;) {
      const auto id = static_cast<NodeId>(i);
      const Node& node = graph_.nodes()[i];
      const ValueId made = node.outputs.front();
      std::vector<ArgumentForm> forms = found_.arguments[i];
      const std::vector<Placement>& of = cuts[index(made)];
      const bool alike = !of.empty() && !read_whole[index(made)] &&
                         std::equal(of.begin() + 1, of.end(), of.begin());
      if (alike && is_whole(node)) {
        if (const auto how = rules_.find(id, std::vector<Placement>(forms.size()), of.front())) {
          wanted_[index(made)] = of.front();
          grew_ = true;
          forms = how->arguments;
        }
      }
      for (size_t k = 0; k < forms.size(); ++k) {
        const ValueId* argument = tensor_of(node.arguments[k]);
        if (!argument) continue;
        if (forms[k].kind == FormKind::block)
          cuts[index(*argument)].push_back(forms[k].block);
        else
          read_whole[index(*argument)] = true;
      }
    }
  }

  // Whether it computes one whole value from whole values.
  bool is_whole(const Node& node) const {
    const auto is_whole_value = [&](ValueId id) {
      return found_.of[index(id)] == Placement{} && !found_.reduced[index(id)];
    };
    if (node.op->collective || node.outputs.size() != 1 || wanted_[index(node.outputs.front())] ||
        whole_.contains(graph_.value(node.outputs.front()).name) ||
        !is_whole_value(node.outputs.front()))
      return false;
    return std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return !id || read(*id) == Placement{};
    });
  }

  const Graph& graph_;
  const ShardRules& rules_;
  const ShardOptions& options_;
  PartialWanted wanted_sums_;
  const std::set<std::string> whole_;
  std::vector<std::optional<Placement>> wanted_;  // per value: the block that all readers read
  std::vector<int> makers_;                       // per value: the node that makes it; -1: none
  FoundShards found_;
  bool grew_ = false;
};

}  // namespace

FoundShards find_shards(const Graph& graph, const ShardRules& rules, const ShardOptions& options) {
  return ShardSearch(graph, rules, options).run();
}

}  // namespace mithril
