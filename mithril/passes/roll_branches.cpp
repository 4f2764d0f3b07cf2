// Makes a node of op `cond` of the ops that a choice between branches is composed of.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

// What a node of the graph is for a choice.
enum class BranchRole : char { outside, condition, entry, body, exit };
// The branch that makes a value.
enum class BranchSide : char { none, then, otherwise };

class BranchRoll {
 public:
  BranchRoll(const Graph& graph, size_t condition)
      : graph_(graph),
        condition_(condition),
        roles_(graph.nodes().size()),
        pulled_in_(graph.nodes().size()),
        sides_(graph.values().size()),
        makers_(graph.values().size()) {
    do {
      find_roles();
    } while (pull_in_nodes());
  }

  // An op of a loop or of other branches in a branch; none: this choice is an innermost one.
  const Node* nested_op() const {
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (roles_[n] == BranchRole::body && is_nesting_op(node)) return &node;
    }
    return nullptr;
  }

  [[noreturn]] void refuse_outside(ValueId id) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0139",
           .path = name_of(id),
           .message = "'" + name_of(id) +
                      "' has a value only if its branch runs, and is read outside of it",
           .facts = {{"branches", name_of(token()), ""}},
           .help = "make the value an output of both branches"});
  }

  Graph run() {
    for (const Output& output : graph_.outputs()) {
      if (sides_[index(output.value)] != BranchSide::none) refuse_outside(output.value);
    }
    if (std::optional<Graph> entered = with_own_input(graph_, inside(), token())) return *entered;
    check_nodes();
    find_exits();
    find_arguments();
    const std::vector<bool> before = nodes_before();
    Rebuilder rebuilder(graph_);
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (n == condition_) rebuilder.replace(token(), rebuilder.map(chosen_by()));
      if (before[n]) rebuilder.keep(graph_.nodes()[n]);
    }
    if (!exits_.empty()) write(rebuilder);
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (!before[n] && roles_[n] == BranchRole::outside) rebuilder.keep(graph_.nodes()[n]);
    }
    return rebuilder.finish();
  }

 private:
  ValueId token() const { return graph_.nodes()[condition_].outputs.front(); }
  ValueId chosen_by() const { return argument(graph_.nodes()[condition_], "condition"); }
  const std::string& name_of(ValueId id) const { return graph_.value(id).name; }
  static ValueId argument(const Node& node, std::string_view port) {
    return *tensor_of(node.arguments[node.argument_index(port)]);
  }

  void find_roles() {
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      roles_[n] = role_of(n, node);
      BranchSide side = BranchSide::none;
      if (roles_[n] == BranchRole::entry) side = side_of_entry(node);
      if (roles_[n] == BranchRole::body) side = side_of(n);
      for (const ValueId id : node.outputs) {
        makers_[index(id)] = n;
        sides_[index(id)] = side;
      }
    }
  }

  // Pulls the nodes with which transforms in a branch begin into it. False if none is left.
  bool pull_in_nodes() {
    bool more = false;
    const std::vector<bool> of_branches = inside();
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != BranchRole::body) continue;
      for (const size_t pulled : pulled_in_nodes(graph_, n, of_branches, makers_, token())) {
        pulled_in_[pulled] = side_of(n);
        more = true;
      }
    }
    return more;
  }

  std::vector<bool> inside() const {
    std::vector<bool> inside;
    for (const BranchSide side : sides_) inside.push_back(side != BranchSide::none);
    return inside;
  }

  BranchRole role_of(size_t n, const Node& node) const {
    if (n == condition_) return BranchRole::condition;
    if (pulled_in_[n] != BranchSide::none) return BranchRole::body;
    const bool enters = node.op->name == "branch_input";
    if ((enters || node.op->name == "branch_result") && argument(node, "condition") == token())
      return enters ? BranchRole::entry : BranchRole::exit;
    return side_of_reads(node) == BranchSide::none ? BranchRole::outside : BranchRole::body;
  }

  static BranchSide side_of_entry(const Node& node) {
    const Argument& then = node.arguments[node.argument_index("then")];
    return std::get<Datum>(then).flag() ? BranchSide::then : BranchSide::otherwise;
  }

  // The branch of a node of its body.
  BranchSide side_of(size_t n) const {
    return pulled_in_[n] == BranchSide::none ? side_of_reads(graph_.nodes()[n]) : pulled_in_[n];
  }

  // The branch whose values the node reads.
  BranchSide side_of_reads(const Node& node) const {
    BranchSide side = BranchSide::none;
    for (const Argument& read : node.arguments) {
      const ValueId* id = tensor_of(read);
      if (!id || sides_[index(*id)] == BranchSide::none) continue;
      if (side != BranchSide::none && side != sides_[index(*id)]) refuse_outside(*id);
      side = sides_[index(*id)];
    }
    return side;
  }

  void check_nodes() const {
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] == BranchRole::body) check_node(graph_.nodes()[n]);
    }
  }

  void check_node(const Node& node) const {
    if (node.op->collective)
      raise({.kind = ErrorKind::connection,
             .code = "E0131",
             .path = name_of(node.outputs.front()),
             .message = "op '" + node.op->name + "' cannot be in a branch",
             .help = "let processes exchange values before the choice, or after it"});
  }

  void find_exits() {
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != BranchRole::exit) continue;
      const Node& node = graph_.nodes()[n];
      const ValueId then = argument(node, "then"), otherwise = argument(node, "otherwise");
      if (sides_[index(then)] == BranchSide::otherwise) refuse_outside(then);
      if (sides_[index(otherwise)] == BranchSide::then) refuse_outside(otherwise);
      check_dtypes(then, otherwise);
      exits_.push_back(&node);
    }
  }

  void check_dtypes(ValueId then, ValueId otherwise) const {
    const DType one = graph_.value(then).dtype, other = graph_.value(otherwise).dtype;
    if (one == other) return;
    raise({.kind = ErrorKind::type,
           .code = "E0301",
           .path = name_of(otherwise),
           .message = "the branches make values of different dtypes",
           .facts = {{name_of(then), std::string(name(one)), ""},
                     {name_of(otherwise), std::string(name(other)), ""}},
           .help = "cast one of them"});
  }

  bool is_entry(ValueId id) const {
    const auto& maker = makers_[index(id)];
    return maker && roles_[*maker] == BranchRole::entry;
  }

  // The value outside of the branches.
  ValueId outer(ValueId id) const {
    return is_entry(id) ? argument(graph_.nodes()[*makers_[index(id)]], "input") : id;
  }

  // The values from outside that the branches read, in the order of their first use.
  void find_arguments() {
    std::vector<bool> known(graph_.values().size());
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != BranchRole::body && roles_[n] != BranchRole::exit) continue;
      for (const Argument& read : graph_.nodes()[n].arguments) {
        const ValueId* id = tensor_of(read);
        if (!id || *id == token()) continue;
        if (sides_[index(*id)] != BranchSide::none && !is_entry(*id)) continue;
        const ValueId given = outer(*id);
        if (known[index(given)]) continue;
        known[index(given)] = true;
        arguments_.push_back(given);
      }
    }
  }

  // The nodes outside of the branches that they depend on.
  std::vector<bool> nodes_before() const {
    std::vector<bool> before(roles_.size());
    std::vector<ValueId> open = arguments_;
    open.push_back(chosen_by());
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      const auto& maker = makers_[index(id)];
      if (!maker || before[*maker] || roles_[*maker] == BranchRole::condition) continue;
      if (roles_[*maker] != BranchRole::outside) refuse_cycle(id);
      before[*maker] = true;
      for (const Argument& read : graph_.nodes()[*maker].arguments) {
        if (const ValueId* given = tensor_of(read)) open.push_back(*given);
      }
    }
    return before;
  }

  [[noreturn]] void refuse_cycle(ValueId id) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0102",
           .path = name_of(id),
           .message = "a branch reads '" + name_of(id) + "', which the choice makes itself",
           .help = "make a second choice with Cond"});
  }

  void require_rank(ValueId id) const {
    const Value& value = graph_.value(id);
    if (value.ranked) return;
    raise({.kind = ErrorKind::shape,
           .code = "E0209",
           .path = value.name,
           .message = "the rank of '" + value.name + "' is not known, and a branch needs it",
           .help = "state the shape: shapes of compile, or set_shapes"});
  }

  void write(Rebuilder& rebuilder) const {
    CondNode cond{.then = branch(BranchSide::then),
                  .otherwise = branch(BranchSide::otherwise),
                  .condition = rebuilder.map(chosen_by())};
    for (const ValueId id : arguments_) cond.arguments.push_back(rebuilder.map(id));
    for (const Node* exit : exits_) {
      Value result = graph_.value(exit->outputs.front());
      require_rank(exit->outputs.front());
      result.name.clear();
      cond.results.push_back(std::move(result));
    }
    const auto made = add_cond(rebuilder.graph(), cond, name_of(token()) + ".branches");
    for (size_t k = 0; k < made.size(); ++k) rebuilder.become(exits_[k]->outputs.front(), made[k]);
  }

  Graph branch(BranchSide side) const {
    Graph branch;
    branch.share_facts(graph_);
    branch.set_default_dtype(graph_.default_dtype());
    std::unordered_map<ValueId, ValueId> inner;
    for (const ValueId id : arguments_) {
      require_rank(id);
      inner.emplace(id, branch.add_input(graph_.value(id)));
    }
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      const ValueId made = node.outputs.front();
      if (roles_[n] == BranchRole::entry && inner.contains(outer(made)))
        inner.emplace(made, inner.at(outer(made)));
      if (roles_[n] != BranchRole::body || side_of(n) != side) continue;
      for (const ValueId id : node.outputs) require_rank(id);
      copy_node(graph_, node, branch, inner);
    }
    for (const Node* exit : exits_) {
      const ValueId made = argument(*exit, side == BranchSide::then ? "then" : "otherwise");
      branch.add_output(name_of(made) + ".result_" + std::to_string(branch.outputs().size()),
                        inner.at(made));
    }
    branch.drop_unread();
    return branch;
  }

  const Graph& graph_;
  const size_t condition_;
  std::vector<BranchRole> roles_;              // per node
  std::vector<BranchSide> pulled_in_;          // per node: the branch whose transform pulls it in
  std::vector<BranchSide> sides_;              // per value
  std::vector<std::optional<size_t>> makers_;  // per value: the node
  std::vector<const Node*> exits_;
  std::vector<ValueId> arguments_;  // of the node
};

}  // namespace

std::optional<Graph> roll_branches(const Graph& graph, size_t condition) {
  BranchRoll roll(graph, condition);
  if (roll.nested_op()) return {};
  return roll.run();
}

void refuse_mixed_branches(const Graph& graph, size_t condition) {
  const BranchRoll roll(graph, condition);
  const Node* nested = roll.nested_op();
  MITHRIL_CHECK(nested, "a choice is an innermost one");
  roll.refuse_outside(nested->outputs.front());
}

}  // namespace mithril
