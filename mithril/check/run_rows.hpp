// Turns a row into cases: inferred = evaluated, with numbers, symbols and unknown ranks; any order
// of facts; the formula = eval; gradients = central differences; lower precisions; sizes 0 and 1;
// expected values and errors.
#pragma once

#include "mithril/check/checks.hpp"
#include "mithril/check/op_case.hpp"
#include "mithril/check/report.hpp"

namespace mithril::check {

// How many times the gradients of each row are compared, with other elements.
inline constexpr int gradient_seeds = 6;

// Runs all cases of one row, and of the same row in other sizes that the op accepts. `graphs`
// compares the backends; null: no backend is compared.
void run_row(const OpDef& op, const OpCase& row, Report& report, const GraphCheck& graphs = {});

}  // namespace mithril::check
