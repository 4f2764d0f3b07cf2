#include "mithril/passes/node_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace mithril::tests {
namespace {

// "0 2 | 1": the groups that are not empty. Nodes of equal letters may merge; "-" stays alone.
std::string groups(const std::string& letters,
                   const std::vector<std::vector<std::size_t>>& producers, std::size_t most = 16) {
  const NodeGroupRules rules{.may_merge =
                                 [&](auto, auto, std::size_t producer, std::size_t node) {
                                   return letters[producer] == letters[node] &&
                                          letters[node] != '-';
                                 },
                             .most_nodes = most};
  std::string text;
  for (const std::vector<std::size_t>& group : group_nodes(producers, rules)) {
    if (group.empty()) continue;
    if (!text.empty()) text += " |";
    for (const std::size_t node : group) text += (text.empty() ? "" : " ") + std::to_string(node);
  }
  return text;
}

}  // namespace

TEST_CASE("a node merges with the nodes that it reads from") {
  CHECK(groups("aaa", {{}, {0}, {1}}) == "0 1 2");
  CHECK(groups("aab", {{}, {0}, {1}}) == "0 1 | 2");
  CHECK(groups("aaa", {{}, {}, {0, 1}}) == "0 1 2");
  CHECK(groups("aa", {{}, {}}) == "0 | 1");
  CHECK(groups("--", {{}, {0}}) == "0 | 1");
}

TEST_CASE("no group depends on itself through another group") {
  // 0 -> 1 (another kind) -> 2, and 0 -> 2.
  CHECK(groups("aba", {{}, {0}, {0, 1}}) == "0 | 1 | 2");
  // Node 1 only reads.
  CHECK(groups("aba", {{}, {0}, {0}}) == "1 | 0 2");
  // Through two groups: a0 -> b1, b1 -> b2, b2 -> a3.
  CHECK(groups("abba", {{}, {0}, {1}, {0, 2}}) == "0 | 1 2 | 3");
}

TEST_CASE("a group has at most most_nodes nodes") {
  CHECK(groups("aaaa", {{}, {0}, {1}, {2}}, 2) == "0 1 | 2 3");
}

TEST_CASE("groups run after those that they read from, and the smallest key goes first") {
  // Group 2 has the nodes 2 and 3: 0 -> 2 and 1 -> 3.
  const NodeGroups groups{{0}, {1}, {2, 3}};
  const std::vector<std::vector<std::size_t>> producers{{}, {}, {0}, {1, 2}};
  const GroupDependencies dependencies(groups, producers);
  CHECK(dependencies.before == NodeGroups{{}, {}, {0, 1}});
  CHECK(dependencies.after == NodeGroups{{2}, {2}, {}});
  const auto order = [&](const std::vector<std::size_t>& keys) { return dependencies.order(keys); };
  CHECK(order({5, 1, 0}) == std::vector<std::size_t>{1, 0, 2});
  CHECK(order({1, 5, 0}) == std::vector<std::size_t>{0, 1, 2});
}

}  // namespace mithril::tests
