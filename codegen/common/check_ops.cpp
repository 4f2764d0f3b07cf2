// Refuses nodes that a language cannot compute.
#include <algorithm>
#include <set>

#include "codegen/common/make_program.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

// The refused nodes of programs and of their blocks.
struct RefusedNodes {
  std::set<std::string> ops = {};
  std::vector<Fact> facts = {};
  bool blocks = false;  // one needs blocks

  void add(const SourceProgram& program) {
    for (const size_t refused : program.refused) {
      const Node& node = program.node(refused);
      blocks = blocks || has_nested_graphs(node);
      const Fact fact{program.graph.value(node.outputs.front()).name, node.op->name};
      const bool known = std::any_of(facts.begin(), facts.end(), [&](const Fact& other) {
        return other.label == fact.label && other.text == fact.text;
      });
      if (known) continue;
      ops.insert(node.op->name);
      facts.push_back(fact);
    }
    for (const auto& [node, block] : program.blocks) {
      for (const SourceProgram& body : block.bodies) add(body);
    }
  }
};

std::string advice(const RefusedNodes& refused) {
  if (refused.blocks)
    return "loops and branches can be written in C++, JavaScript and WebAssembly, and run on "
           "backends";
  return std::string("spell a formula for the target \"c\" in ") +
         (refused.ops.size() == 1 ? "its record, or compose it"
                                  : "their records, or compose them") +
         " of other ops";
}

}  // namespace

void check_ops(std::span<const SourceProgram* const> programs, const Language& language) {
  RefusedNodes refused;
  for (const SourceProgram* program : programs) refused.add(*program);
  const std::set<std::string>& ops = refused.ops;
  std::vector<Fact>& facts = refused.facts;
  if (facts.empty()) return;
  const std::string path = facts.front().label;
  if (facts.size() == 1) facts.clear();  // the message has all
  raise({.kind = ErrorKind::backend,
         .code = "E1031",
         .path = path,
         .message = "there is no " + std::string(language.name) + " for the " +
                    (ops.size() == 1 ? "op " : "ops ") + join(ops, ", "),
         .facts = std::move(facts),
         .help = advice(refused)});
}

}  // namespace mithril::codegen
