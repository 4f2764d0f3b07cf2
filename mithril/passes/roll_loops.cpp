#include "mithril/passes/roll_loops.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/open_sizes.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

bool is_op(const Node& node, const char* name) { return node.op->name == name; }

// What a node of the graph is for a loop.
enum class Role : char { outside, begin, entry, body, exit };

class Roll {
 public:
  // `begin`: the index of the node of op scan_steps.
  Roll(const Graph& graph, size_t begin)
      : graph_(graph),
        begin_(begin),
        roles_(graph.nodes().size()),
        pulled_in_(graph.nodes().size()),
        of_step_(graph.values().size()),
        makers_(graph.values().size()) {
    do {
      find_roles();
    } while (pull_in_nodes());
  }

  // Whether no op of another loop or of a branch reads values of a step.
  bool is_innermost() const { return !nested(); }

  // For a loop that is not an innermost one although the graph has no other: an op of another loop
  // reads a value of a step.
  [[noreturn]] void refuse_mixed() const {
    const Node* const node = nested();
    MITHRIL_CHECK(node, "a loop is an innermost one");
    refuse_outside(node->outputs.front());
  }

  Graph run() {
    for (const Output& output : graph_.outputs()) {
      if (of_step_[index(output.value)] || output.value == token()) refuse_outside(output.value);
    }
    if (std::optional<Graph> entered = with_own_input(graph_, of_step_, token())) return *entered;
    check_body();
    find_carries();
    add_values_read();
    Rebuilder rebuilder(graph_);
    const std::vector<bool> before = nodes_before();
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (before[n]) rebuilder.keep(graph_.nodes()[n]);
    }
    if (!exits().empty()) write(rebuilder);
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (!before[n] && roles_[n] == Role::outside) rebuilder.keep(graph_.nodes()[n]);
    }
    return rebuilder.finish();
  }

 private:
  ValueId token() const { return graph_.nodes()[begin_].outputs.front(); }

  bool is_of_this(const Node& node) const {
    return node.op->name.starts_with("scan_") && !is_op(node, "scan_steps") &&
           *tensor_of(node.arguments[node.argument_index("steps")]) == token();
  }

  // An op of another loop or of a branch that reads values of a step; null: there is none.
  const Node* nested() const {
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (roles_[n] == Role::body && is_nesting_op(node)) return &node;
    }
    return nullptr;
  }

  void find_roles() {
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      roles_[n] = role_of(n, node);
      for (const ValueId id : node.outputs) {
        makers_[index(id)] = n;
        of_step_[index(id)] = roles_[n] == Role::entry || roles_[n] == Role::body;
      }
    }
  }

  // Pulls the nodes with which transforms in the body begin into it. False if none is left.
  bool pull_in_nodes() {
    bool more = false;
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != Role::body) continue;
      for (const size_t pulled : pulled_in_nodes(graph_, n, of_step_, makers_, token()))
        pulled_in_[pulled] = more = true;
    }
    return more;
  }

  Role role_of(size_t n, const Node& node) const {
    if (n == begin_) return Role::begin;
    if (pulled_in_[n]) return Role::body;
    if (is_of_this(node))
      return is_op(node, "scan_carry") || is_op(node, "scan_item") ? Role::entry : Role::exit;
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && of_step_[index(*id)]) return Role::body;
    }
    return Role::outside;
  }

  std::vector<const Node*> exits() const {
    std::vector<const Node*> found;
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] == Role::exit) found.push_back(&graph_.nodes()[n]);
    }
    return found;
  }

  const std::string& name_of(ValueId id) const { return graph_.value(id).name; }
  static ValueId input(const Node& node, std::string_view port) {
    return *tensor_of(node.arguments[node.argument_index(port)]);
  }

  [[noreturn]] void refuse_outside(ValueId id) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0130",
           .path = name_of(id),
           .message = "'" + name_of(id) +
                      "' has a value in each step of a loop, and is read "
                      "outside of it",
           .facts = {{"loop", name_of(token()), ""}},
           .help = "name the value in `outputs` of Scan, which stacks the values of all steps, or "
                   "make it a carry"});
  }

  void check_body() const {
    for (size_t n = 0; n < roles_.size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (roles_[n] == Role::body || roles_[n] == Role::outside) check_token(node);
      if (roles_[n] != Role::body) continue;
      check_node_of_step(graph_, node, of_step_);
    }
  }

  // Only the ops of the loop read its begin.
  void check_token(const Node& node) const {
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && *id == token()) refuse_outside(*id);
    }
  }

  void find_carries() {
    carried_ = carries_of_loop(graph_, exits(), makers_, token());
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] == Role::entry && is_op(graph_.nodes()[n], "scan_item")) items_.push_back(n);
    }
  }

  // The values from outside that the body or an exit reads, in the order of their first use.
  void add_values_read() {
    std::vector<bool> known(graph_.values().size());
    const auto add = [&](ValueId id) {
      if (of_step_[index(id)] || known[index(id)] || id == token()) return;
      known[index(id)] = true;
      kept_.push_back(id);
    };
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != Role::body && roles_[n] != Role::exit) continue;
      for (const Argument& argument : graph_.nodes()[n].arguments) {
        if (const ValueId* id = tensor_of(argument)) add(*id);
      }
    }
  }

  // The nodes outside of the loop that it depends on.
  std::vector<bool> nodes_before() const {
    std::vector<bool> before(roles_.size());
    std::vector<ValueId> open = kept_;
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != Role::entry) continue;
      const Node& node = graph_.nodes()[n];
      open.push_back(input(node, is_op(node, "scan_item") ? "sequence" : "initial"));
    }
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      const auto& maker = makers_[index(id)];
      if (!maker || before[*maker]) continue;
      if (roles_[*maker] != Role::outside) refuse_cycle(id);
      before[*maker] = true;
      for (const Argument& argument : graph_.nodes()[*maker].arguments) {
        if (const ValueId* read = tensor_of(argument)) open.push_back(*read);
      }
    }
    return before;
  }

  [[noreturn]] void refuse_cycle(ValueId id) const {
    raise({.kind = ErrorKind::connection,
           .code = "E0102",
           .path = name_of(id),
           .message = "a loop reads '" + name_of(id) + "', which is known only after its last step",
           .help = "make the value a carry, or compute it in a second loop"});
  }

  void write(Rebuilder& rebuilder) const {
    ScanLoop scan{.body = {},
                  .carries = carried_.carries.size(),
                  .sequences = items_.size(),
                  .length = graph_.value(token()).dims.front(),
                  .reverse = std::get<Datum>(graph_.nodes()[begin_].arguments[1]).flag()};
    Graph& body = scan.body;
    body.share_facts(graph_);
    body.set_default_dtype(graph_.default_dtype());
    std::unordered_map<ValueId, ValueId> inner;
    const auto add = [&](ValueId id, ValueId argument) {
      require_rank(argument, rebuilder.graph());
      inner.emplace(id, body.add_input(graph_.value(id)));
      scan.arguments.push_back(argument);
    };
    for (const auto& [carry, next] : carried_.carries)
      add(carry, rebuilder.map(input(graph_.nodes()[*makers_[index(carry)]], "initial")));
    for (const size_t n : items_) {
      const Node& item = graph_.nodes()[n];
      add(item.outputs.front(), steps_first(rebuilder, item));
    }
    for (const ValueId id : kept_) add(id, rebuilder.map(id));
    copy_body(body, inner);
    for (const ValueId id : add_size_inputs(rebuilder.graph(), {&body}))
      scan.arguments.push_back(id);
    Graph condition = body;
    for (const auto& [carry, next] : carried_.carries)
      body.add_output(name_of(next) + ".next_" + std::to_string(body.outputs().size()),
                      inner.at(next));
    if (carried_.goes_on)
      return write_while(rebuilder, scan, std::move(condition), inner.at(*carried_.goes_on));
    for (const Node* exit : exits()) {
      if (!is_op(*exit, "scan_stack")) continue;
      const ValueId id = input(*exit, "input");
      body.add_output(name_of(id) + ".stack_" + std::to_string(body.outputs().size()),
                      inner.at(id));
    }
    body.drop_unread();
    finish(rebuilder, add_scan(rebuilder.graph(), scan, name_of(token()) + ".loop"));
  }

  void write_while(Rebuilder& rebuilder, const ScanLoop& scan, Graph condition,
                   ValueId goes_on) const {
    WhileNode loop{
        .condition = std::move(condition), .body = scan.body, .arguments = scan.arguments};
    loop.condition.add_output("goes_on", goes_on);
    loop.condition.drop_unread();
    loop.body.drop_unread();
    finish(rebuilder, add_while(rebuilder.graph(), loop, name_of(token()) + ".loop"));
  }

  static void require_rank(ValueId id, const Graph& graph) {
    const Value& value = graph.value(id);
    if (value.ranked) return;
    raise({.kind = ErrorKind::shape,
           .code = "E0209",
           .path = value.name,
           .message = "the rank of '" + value.name + "' is not known, and a loop needs it",
           .help = "state the shape: shapes of compile, or set_shapes"});
  }

  void copy_body(Graph& body, std::unordered_map<ValueId, ValueId>& inner) const {
    for (size_t n = 0; n < roles_.size(); ++n) {
      if (roles_[n] != Role::body) continue;
      const Node& node = graph_.nodes()[n];
      for (const ValueId id : node.outputs) require_rank(id, graph_);
      copy_node(graph_, node, body, inner);
    }
  }

  static size_t axis_of(const Node& node, size_t rank) {
    const int64_t axis = std::get<Datum>(node.arguments[node.argument_index("axis")]).integer();
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
  }

  ValueId steps_first(Rebuilder& rebuilder, const Node& item) const {
    const ValueId sequence = rebuilder.map(input(item, "sequence"));
    const size_t rank = graph_.value(item.outputs.front()).dims.size() + 1;
    const size_t axis = axis_of(item, rank);
    if (axis == 0) return sequence;
    std::vector<int64_t> axes{static_cast<int64_t>(axis)};
    for (size_t k = 0; k < rank; ++k) {
      if (k != axis) axes.push_back(static_cast<int64_t>(k));
    }
    return rebuilder.graph()
        .add(find_op("transpose"), {sequence, Datum::ints(axes)},
             name_of(item.outputs.front()) + ".steps_first")
        .front();
  }

  // Moves axis 0 of a stack to its place.
  ValueId in_place(Rebuilder& rebuilder, const Node& exit, ValueId stack) const {
    const ValueId made = exit.outputs.front();
    const size_t rank = rebuilder.graph().value(stack).dims.size(), axis = axis_of(exit, rank);
    if (axis == 0) return stack;
    std::vector<int64_t> axes;
    for (size_t k = 1; k < rank; ++k) axes.push_back(static_cast<int64_t>(k));
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    return rebuilder.graph()
        .add(find_op("transpose"), {stack, Datum::ints(axes)}, name_of(made) + ".in_place")
        .front();
  }

  void finish(Rebuilder& rebuilder, const std::vector<ValueId>& made) const {
    size_t next_stack = carried_.carries.size();
    for (const Node* exit : exits()) {
      const ValueId old = exit->outputs.front();
      if (is_op(*exit, "scan_stack")) {
        rebuilder.become(old, in_place(rebuilder, *exit, made[next_stack++]));
        continue;
      }
      const ValueId carry = behind_hooks(graph_, makers_, input(*exit, "carry"));
      rebuilder.become(old, made[carried_.index_of(carry)]);
    }
  }

  const Graph& graph_;
  const size_t begin_;
  std::vector<Role> roles_;                    // per node
  std::vector<bool> pulled_in_;                // per node: by a transform in the body
  std::vector<bool> of_step_;                  // per value
  std::vector<std::optional<size_t>> makers_;  // per value: the node
  LoopCarries carried_;
  std::vector<size_t> items_;  // nodes of op scan_item
  std::vector<ValueId> kept_;  // that every step reads
};

}  // namespace

std::optional<Graph> roll_loop(const Graph& graph, size_t begin) {
  Roll roll(graph, begin);
  if (!roll.is_innermost()) return {};
  return roll.run();
}

void refuse_mixed_loop(const Graph& graph, size_t begin) { Roll(graph, begin).refuse_mixed(); }

}  // namespace mithril
