// Checks of the project's own ops that check_op does not do.
#pragma once

#include <string>
#include <vector>

#include "mithril/check/checks.hpp"
#include "tests/table/case.hpp"
#include "tests/table/report.hpp"

namespace mithril::tests {

// The graph of a row, or of its gradients, after all passes: every available backend matches the
// reference without passes.
void check_backends(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::string& what, double tolerance, Report& report);

// The difference between the graph after all passes on every available backend and the reference
// without passes; empty: none.
std::string backends_difference(const Graph& graph, const std::vector<Tensor>& inputs,
                                double tolerance);

// float16 and bfloat16 at large and small elements and at large whole numbers, on every backend,
// with gradients: close to float64 of the same inputs.
void check_extremes(const OpDef& op, const OpCase& row, Report& report);

// Checks what every op must have, by its record and its rows.
void check_completeness(const OpDef& op, const std::vector<OpCase>& rows, Report& report);

}  // namespace mithril::tests
