// The table of ops: a test case for each op of the book, "op gelu", and one for rows without an op.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "mithril/check/derivative.hpp"
#include "mithril/check/placement.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/check/run_rows.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/environment.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/runner.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

// The rows of an op that run: a sample with a third of them, all in `make test-all`, or
// MITHRIL_TABLE_ROWS evenly spaced ones (0: all).
std::vector<OpCase> sample_of(const std::vector<OpCase>& rows) {
  const std::size_t count = rows.size();
  const std::size_t most = number_from("MITHRIL_TABLE_ROWS", 0);
  if (most == 0) return sample_rows(rows, sampled((count + 2) / 3, count));
  std::vector<OpCase> sample;
  for (std::size_t i = 0; i < std::min(most, count); ++i)
    sample.push_back(rows[i * count / std::min(most, count)]);
  return sample;
}

std::vector<OpCase> rows_of(const std::string& op) {
  std::vector<OpCase> rows;
  for (const OpCases& cases : all_op_cases()) {
    if (cases.op != op) continue;
    for (OpCase& row : cases.rows()) rows.push_back(std::move(row));
  }
  return rows;
}

// Each seed of a row compares the gradients of its float inputs that have elements, if the record
// has a gradient and the inputs and outputs are finite.
std::size_t fewest_gradients(const OpDef& op, const std::vector<OpCase>& rows) {
  if (!op.grad && !op.expand) return 0;
  std::size_t gradients = 0;
  for (const OpCase& row : rows) {
    if (!row.error.empty() || check::makes_values(op, row)) continue;
    const check::RowGraph built = check::build(op, row);
    const std::vector<std::string> outputs = check::float_outputs(built.graph),
                                   inputs = check::float_inputs(built, row.hold);
    if (outputs.empty() || inputs.empty()) continue;
    const check::Derivative derivative(built.graph, outputs, inputs);
    for (std::uint64_t seed = 1; seed <= check::gradient_seeds; ++seed) {
      const auto sample = derivative.sample(check::generate(built.tensors, seed), seed);
      if (!sample.finite) continue;
      for (const Tensor& gradient : sample.gradients) gradients += gradient.size() > 0;
    }
  }
  return gradients;
}

void check_op_named(const char* name) {
  const OpDef& op = find_op(name);
  if (op.eval && !has_torch()) skip_without_torch();
  const std::vector<OpCase> all = rows_of(op.name), rows = sample_of(all);
  Report report;
  run_op(op, all, rows, report);
  table_results.passed += report.passed();
  table_results.failed += report.failed();
  fmt::print("op {}: {}\n", name, report.totals());
  CHECK(report.failed() == 0);
  if (report.failed() == 0) CHECK(report.passed(Check::gradient) >= fewest_gradients(op, rows));
}

}  // namespace

#define MITHRIL_OP(name, model) \
  TEST_CASE("op " #name) { check_op_named(#name); }
#include "mithril/ops/list.inc"
#undef MITHRIL_OP

TEST_CASE("the rows of the table are those of ops that exist") {
  for (const OpCases& cases : all_op_cases()) {
    CAPTURE(cases.op);
    CHECK(try_find_op(cases.op));
  }
}

}  // namespace mithril::tests
