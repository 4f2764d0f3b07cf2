#include "codegen/jax/spelling.hpp"

#include <set>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

std::string filled(std::string_view text, const JaxSpellingNode& node) {
  std::string result;
  while (true) {
    const size_t open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    const size_t close = text.find('}', open);
    MITHRIL_CHECK(close != std::string_view::npos, "a '{' without '}' in the JAX spelling");
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const size_t dot = inside.find('.');
    const std::string_view member =
        dot == std::string_view::npos ? std::string_view() : inside.substr(dot + 1);
    result += node.hole({inside.substr(0, dot), member, text.substr(close + 1)});
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string spelled_for_jax(std::string_view text, const JaxSpellingNode& node) {
  constexpr std::string_view asks = " ? ", otherwise = " : ", no_value = " == None";
  const size_t question = text.find(asks);
  if (question == std::string_view::npos) return filled(text, node);
  const size_t colon = text.find(otherwise, question);
  MITHRIL_CHECK(colon != std::string_view::npos, "a ' ? ' without ' : ' in the JAX spelling");
  std::string_view condition = text.substr(0, question);
  const bool asks_none = condition.ends_with(no_value);
  if (asks_none) condition.remove_suffix(no_value.size());
  const bool holds = asks_none ? node.is_none(condition) : node.is_true(condition);
  const size_t then = question + asks.size();
  return holds ? filled(text.substr(then, colon - then), node)
               : spelled_for_jax(text.substr(colon + otherwise.size()), node);
}

std::vector<std::pair<std::string, std::string>> nodes_without_jax(const Graph& graph) {
  std::vector<std::pair<std::string, std::string>> nodes;
  for (const Node& node : graph.nodes()) {
    if (has_nested_graphs(node)) {
      for (const Graph& nested : nested_graphs(node)) {
        for (auto& missing : nodes_without_jax(nested)) nodes.push_back(std::move(missing));
      }
      continue;
    }
    const Spelling* spelling = node.op->spelling("jax");
    if (spelling && !spelling->text.starts_with("unsupported:")) continue;
    nodes.emplace_back(graph.value(node.outputs.front()).name, node.op->name);
  }
  return nodes;
}

void refuse_unspelled(const Graph& graph) {
  const auto nodes = nodes_without_jax(graph);
  if (nodes.empty()) return;
  std::vector<Fact> facts;
  std::set<std::string> ops;
  for (const auto& [path, op] : nodes) {
    facts.push_back({path, op});
    ops.insert(op);
  }
  raise({.kind = ErrorKind::backend,
         .code = "E1033",
         .path = nodes.front().first,
         .message = "there is no JAX for the " + std::string(ops.size() == 1 ? "op " : "ops ") +
                    join(ops, ", "),
         .facts = std::move(facts),
         .help = "spell the ops for the target \"jax\" in their records, or compose them of "
                 "other ops"});
}

}  // namespace mithril::codegen
