// The checks of one row of the table. Each function counts its cases in the report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/check/report.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::check {

// Compares the backends with the reference on the graph of a row or of its gradients. `what` names
// the graph; results may differ by `tolerance`.
using GraphCheck =
    std::function<void(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                       const std::string& what, double tolerance, Report& report)>;

// Evaluates on the reference. The outputs must match the inference from known sizes; if they do
// not, the result is false and nothing else is checked. Then they must match the inference from
// symbols and from unknown ranks, and the values that the row expects.
bool check_evaluation(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                      const GraphCheck& graphs);

// Facts in any order give the same result; output values are as the row expects.
void check_inference(const OpDef& op, const OpCase& row, Report& report);

// For rows whose floats are all float64: float32, float16 and bfloat16 results are close to
// float64, and the backends agree in mixed precision.
void check_precision(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                     const GraphCheck& graphs);

// The C formula of the record gives the same elements as eval.
void check_formula(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed);

// Compares the gradient of each float64 input with central differences, for `seeds` seeds from
// `first_seed` on; for the first seed also gradients with symbolic sizes and second gradients. A
// gradient that the record declares not to exist must be refused.
void check_gradients(const OpDef& op, const OpCase& row, Report& report, std::uint64_t first_seed,
                     int seeds, const GraphCheck& graphs);

// The row must raise its error with the code and text of the row, and the text names the op and one
// of its ports.
void check_refusal(const OpDef& op, const OpCase& row, Report& report);

}  // namespace mithril::check
