// Finds loops and branches, the innermost ones first.
#include <algorithm>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

constexpr const char* nesting_ops[] = {"scan_steps",   "scan_carry",   "scan_item",
                                       "scan_last",    "scan_stack",   "branch_condition",
                                       "branch_input", "branch_result"};

bool begins_branches(const Node& node) { return node.op->name == "branch_condition"; }
bool begins_nesting(const Node& node) {
  return node.op->name == "scan_steps" || begins_branches(node);
}

}  // namespace

bool is_nesting_op(const Node& node) {
  return std::any_of(std::begin(nesting_ops), std::end(nesting_ops),
                     [&](const char* name) { return node.op->name == name; });
}

Graph roll_loops(const Graph& graph) {
  Graph result = graph;
  for (;;) {
    std::vector<size_t> begins;
    const auto& nodes = result.nodes();
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (begins_nesting(nodes[n])) begins.push_back(n);
    }
    if (begins.empty()) return result;
    std::optional<Graph> rolled;
    for (const size_t begin : begins) {
      rolled =
          begins_branches(nodes[begin]) ? roll_branches(result, begin) : roll_loop(result, begin);
      if (rolled) break;
    }
    if (!rolled) {
      const size_t begin = begins.front();
      begins_branches(nodes[begin]) ? refuse_mixed_branches(result, begin)
                                    : refuse_mixed_loop(result, begin);
    }
    result = *std::move(rolled);
  }
}

}  // namespace mithril
