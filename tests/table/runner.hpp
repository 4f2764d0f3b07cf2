// The table of ops: the checks of check_op, on every backend that was built, and the completeness
// of records.
#pragma once

#include <vector>

#include "tests/table/case.hpp"
#include "tests/table/report.hpp"

namespace mithril {
struct OpDef;  // op/op_def.hpp
}

namespace mithril::tests {

void run_rows(const OpDef& op, const std::vector<OpCase>& rows, Report& report);

// Runs all rows of an op, which must also be complete.
void run_op(const OpDef& op, const std::vector<OpCase>& rows, Report& report);

}  // namespace mithril::tests
