// Every C formula runs in elementwise programs, unless its record has the spelling "loop" with
// "unsupported: ...", which only this test reads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <span>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "mithril/check/placement.hpp"
#include "mithril/eval/size_sources.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/table/case.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

bool runs_in_a_loop(const OpDef& op, const OpCase& row) {
  if (!row.error.empty() || check::makes_values(op, row)) return false;
  const RowGraph built = build(op, row, Knowledge::numbers, DType::float32);
  if (built.graph.nodes().size() != 1) return false;
  const SizeSources sizes(built.graph);
  const Plan plan = make_plan(built.graph, sizes, generate(built.tensors, 1));
  const cpu_backend::ShapedGraph shaped(built.graph, plan);
  if (!cpu_backend::elementwise_dtype(shaped, 0)) return false;
  const size_t node = 0;
  return cpu_backend::make_elementwise_program(shaped, std::span(&node, 1),
                                               built.graph.nodes()[0].outputs)
      .has_value();
}

}  // namespace

TEST_CASE("each C formula runs in elementwise programs, or its record says why not") {
  std::set<std::string> with_formula, in_loops;
  for (const OpCases& cases : all_op_cases()) {
    const OpDef* op = try_find_op(cases.op);
    if (!op || !cpu_backend::formula_of(*op)) continue;
    with_formula.insert(op->name);
    for (const OpCase& row : cases.rows()) {
      if (runs_in_a_loop(*op, row)) in_loops.insert(op->name);
    }
  }
  CHECK(in_loops.size() >= 30);
  for (const std::string& name : with_formula) {
    CAPTURE(name);
    const Spelling* reason = find_op(name).spelling("loop");
    CHECK_MESSAGE(in_loops.contains(name) == !reason,
                  "expected a vectorised function for each of the formula, or a reason: "
                  "{\"loop\", \"unsupported: ...\"}");
    if (reason) CHECK(reason->text.starts_with("unsupported: "));
  }
}

}  // namespace mithril::tests
