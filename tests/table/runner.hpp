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

// Runs the chosen rows of an op. Its record must be complete with all rows.
void run_op(const OpDef& op, const std::vector<OpCase>& rows, const std::vector<OpCase>& chosen,
            Report& report);

}  // namespace mithril::tests
