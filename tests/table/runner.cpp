#include "tests/table/runner.hpp"

#include "mithril/check/run_rows.hpp"
#include "mithril/op/op_def.hpp"
#include "tests/table/checks.hpp"

namespace mithril::tests {

void run_op(const OpDef& op, const std::vector<OpCase>& rows, const std::vector<OpCase>& chosen,
            Report& report) {
  for (const OpCase& row : chosen) {
    const std::size_t failed = report.failed();
    check::run_row(op, row, report, check_backends);
    if (report.failed() == failed) check_extremes(op, row, report);
  }
  report.enter(op.name);
  check_completeness(op, rows, report);
}

}  // namespace mithril::tests
