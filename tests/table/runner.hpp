// Turns the rows of the table into cases: inferred = evaluated, with numbers, symbols and unknown
// ranks; any order of facts; gradients = central differences; lower precisions; expected values and
// errors.
#pragma once

#include <vector>

#include "mithril/op/op_def.hpp"
#include "tests/table/case.hpp"
#include "tests/table/report.hpp"

namespace mithril::tests {

// All cases of one row, and of the same row in other sizes where the op accepts them.
void run_row(const OpDef& op, const OpCase& row, Report& report);

// The rows of one op, and what every op must have.
void run_op(const OpDef& op, const std::vector<OpCase>& rows, Report& report);

}  // namespace mithril::tests
