// The table of ops in C++: every row and its gradients, built with the first compiler that is here.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/codegen/check_models.hpp"

#include "mithril/op/op_def.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/group_ops.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

bool is_chosen(std::string_view op) {
  const char* chosen = std::getenv("MITHRIL_OP_CASES");
  return !chosen || fmt::format(",{},", chosen).find(fmt::format(",{},", op)) != std::string::npos;
}

// A row whose result is a value is skipped.
void add_row(const OpDef& op, const OpCase& row, ModelChecks& checks) {
  if (makes_values(op, row)) return;
  const RowGraph built = build(op, row);

  checks.add(op.name + ", " + row.name, built.graph, generate(built.tensors, 1),
             float_inputs(built, row.hold));
}

// Checks rows of each op, or of the chosen ops.
void check_table(size_t most_rows) {
  ModelChecks checks;
  for (const OpCases& cases : all_op_cases()) {
    if (!is_chosen(cases.op) || is_op_of_groups(cases.op)) continue;
    size_t rows = 0;
    for (const OpCase& row : cases.rows()) {
      if (!row.error.empty() || rows == most_rows) continue;
      add_row(find_op(cases.op), row, checks);
      ++rows;
    }
  }
  checks.run({.most_compilers = 1});
}

}  // namespace

TEST_CASE("generated C++ gives the results of a row of every op") { check_table(1); }

TEST_CASE("generated C++ gives the results of every row of the op table" *
          doctest::test_suite("slow")) {
  check_table(std::numeric_limits<size_t>::max());
}

}  // namespace mithril::tests
