#include "mithril/passes/recompute.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/forward_part.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/segments.hpp"

namespace mithril {
namespace {

constexpr int64_t assumed_size = 32;  // of a dim that is not known
constexpr size_t no_index = SIZE_MAX;

double bytes(const Value& value) {
  auto total = static_cast<double>(size_of(value.dtype));
  for (const Dim& dim : value.dims) {
    const Dim now = resolve(dim);
    Sizes sizes;
    each_symbol(now, [&](Symbol* symbol) { sizes.emplace(symbol, assumed_size); });
    total *= static_cast<double>(evaluate(now, sizes).value_or(assumed_size));
  }
  return std::max(total, 0.0);
}

class Recomputation {
 public:
  Recomputation(const Graph& whole, size_t outputs)
      : whole_(whole),
        rebuilder_(whole),
        forward_(forward_part(whole, outputs)),
        lifetime_of_(whole.values().size(), no_index),
        maker_of_(whole.values().size(), no_index),
        copies_(whole.values().size(), nowhere),
        copied_(whole.nodes().size()) {
    find_lifetimes();
  }

  std::vector<size_t> best_cuts() const { return choose_cuts(lifetimes_, steps_); }

  Graph run(const std::vector<size_t>& cuts) {
    if (cuts.empty()) return whole_;
    find_kept(cuts);
    prefix_ = free_prefix();
    for (const Node& node : whole_.nodes()) {
      if (makes_any(node, forward_)) {
        rebuilder_.keep(node);
      } else {
        rebuilder_.add(with_copies(node), node.outputs);
      }
    }
    return rebuilder_.finish();
  }

 private:
  void find_lifetimes() {
    for (size_t i = 0; i < whole_.nodes().size(); ++i) {
      const Node& node = whole_.nodes()[i];
      const bool forward = makes_any(node, forward_);
      for (const Argument& argument : node.arguments) {
        const ValueId* id = tensor_of(argument);
        if (!id || lifetime_of_[index(*id)] == no_index) continue;
        Lifetime& read = lifetimes_[lifetime_of_[index(*id)]];
        if (forward) {
          read.last_read = steps_;
        } else {
          read.saved = true;
        }
      }
      if (!forward) continue;
      for (const ValueId id : node.outputs) {
        lifetime_of_[index(id)] = lifetimes_.size();
        maker_of_[index(id)] = i;
        lifetimes_.push_back({.made = steps_,
                              .last_read = steps_,
                              .bytes = bytes(whole_.value(id)),
                              .output = node.op->collective});
      }
      ++steps_;
    }
    for (const Output& output : whole_.outputs()) {
      const size_t at = lifetime_of_[index(output.value)];
      if (at != no_index) lifetimes_[at].output = true;
    }
  }

  // The last segment is kept: its gradient is computed first.
  void find_kept(const std::vector<size_t>& cuts) {
    const auto segment = [&](size_t step) {
      return std::upper_bound(cuts.begin(), cuts.end(), step);
    };
    for (const Lifetime& value : lifetimes_) {
      const auto at = segment(value.made);
      kept_.push_back(value.output || at == cuts.end() || at != segment(value.last_read));
    }
  }

  std::string free_prefix() const {
    std::string prefix = "again.";
    const auto taken = [&](const Value& value) { return value.name.starts_with(prefix); };
    while (std::any_of(whole_.values().begin(), whole_.values().end(), taken)) prefix += "again.";
    return prefix;
  }

  bool is_computed_again(ValueId id) const {
    const size_t at = lifetime_of_[index(id)];
    return at != no_index && !kept_[at];
  }

  Node with_copies(const Node& node) {
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && is_computed_again(*id)) compute_again(*id);
    }
    return reading_copies(node);
  }

  Node reading_copies(const Node& node) const {
    Node mapped{node.op, node.arguments, {}};
    for (Argument& argument : mapped.arguments) {
      ValueId* id = std::get_if<ValueId>(&argument);
      if (id) *id = is_computed_again(*id) ? copies_[index(*id)] : rebuilder_.map(*id);
    }
    return mapped;
  }

  // Copies the value and its inputs back to kept values, unless they have been copied before.
  void compute_again(ValueId wanted) {
    std::vector<size_t> makers;
    std::vector<ValueId> open{wanted};
    while (!open.empty()) {
      const size_t maker = maker_of_[index(open.back())];
      open.pop_back();
      if (copied_[maker]) continue;
      copied_[maker] = true;
      makers.push_back(maker);
      for (const Argument& argument : whole_.nodes()[maker].arguments) {
        const ValueId* id = tensor_of(argument);
        if (id && is_computed_again(*id)) open.push_back(*id);
      }
    }
    std::sort(makers.begin(), makers.end());
    for (const size_t maker : makers) add_copy(whole_.nodes()[maker]);
  }

  void add_copy(const Node& node) {
    Graph& graph = rebuilder_.graph();
    Node copy = reading_copies(node);
    for (const ValueId id : node.outputs) {
      Value value = whole_.value(id);
      value.name = prefix_ + value.name;
      copies_[index(id)] = graph.add_value(std::move(value));
      copy.outputs.push_back(copies_[index(id)]);
    }
    graph.add_node(std::move(copy));
  }

  const Graph& whole_;
  Rebuilder rebuilder_;
  const std::vector<bool> forward_;             // per value
  std::vector<Lifetime> lifetimes_;             // of the values that forward nodes make
  size_t steps_ = 0;                            // forward nodes
  std::vector<size_t> lifetime_of_, maker_of_;  // per value
  std::vector<bool> kept_;                      // per lifetime
  std::vector<ValueId> copies_;                 // per value, in the new graph
  std::vector<bool> copied_;                    // per node
  std::string prefix_;
};

}  // namespace

Graph recompute(const Graph& whole, size_t outputs) {
  Recomputation recomputing(whole, outputs);
  return recomputing.run(recomputing.best_cuts());
}

Graph recompute(const Graph& whole, size_t outputs, const std::vector<size_t>& cuts) {
  return Recomputation(whole, outputs).run(cuts);
}

}  // namespace mithril
