// The table of ops, run over every op of the book.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "mithril/op/registry.hpp"
#include "tests/results.hpp"
#include "tests/table/runner.hpp"

namespace mithril::tests {
namespace {

using RowsByOp = std::map<std::string, std::vector<OpCase>, std::less<>>;

RowsByOp rows_by_op() {
  RowsByOp rows;
  for (const OpCases& cases : all_op_cases()) {
    for (OpCase& row : cases.rows()) rows[std::string(cases.op)].push_back(std::move(row));
  }
  return rows;
}

// MITHRIL_OP_CASES=gelu,relu runs the rows of these ops alone.
bool is_chosen(const std::string& op) {
  const char* chosen = std::getenv("MITHRIL_OP_CASES");
  return !chosen || fmt::format(",{},", chosen).find("," + op + ",") != std::string::npos;
}

}  // namespace

TEST_CASE("every row of the table of ops holds") {
  Report report;
  const RowsByOp rows = rows_by_op();
  for (const OpDef* op : all_ops()) {
    if (!is_chosen(op->name)) continue;
    const auto at = rows.find(op->name);
    run_op(*op, at == rows.end() ? std::vector<OpCase>() : at->second, report);
  }
  for (const auto& [op, unused] : rows) {
    report.enter(op);
    if (!try_find_op(op))
      report.attempt(Check::completeness, "rows",
                     [] { throw std::invalid_argument("no such op"); });
  }
  table_results.passed += report.passed();
  table_results.failed += report.failed();
  fmt::print("table of ops: {}\n", report.totals());
  CHECK(report.failed() == 0);
  if (!std::getenv("MITHRIL_OP_CASES")) CHECK(report.passed(Check::gradient) >= 3000);
}

}  // namespace mithril::tests
