// What one row of the table is checked for. Each function counts its cases in the report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/check/report.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::check {

// Compares what else runs graphs with the reference: backends. `graph` is that of a row or of its
// gradients, `what` says which; results may be `tolerance` apart.
using GraphCheck =
    std::function<void(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                       const std::string& what, double tolerance, Report& report)>;

// Evaluates on the reference: as inferred from numbers, from symbols and from nothing; as a hand
// has worked out.
void check_evaluation(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                      const GraphCheck& graphs);

// The same facts in other orders lead to the same result, which for values is what the row expects.
void check_inference(const OpDef& op, const OpCase& row, Report& report);

// float32 comes close to float64, and so do float16 and bfloat16 as storage; in mixed precision the
// backends agree: of rows whose floats are all float64.
void check_precision(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                     const GraphCheck& graphs);

// The formula that the record spells for C gives what eval gives, element by element.
void check_formula(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed);

// Gradients against central differences for each float64 input and each of so many seeds from
// `first_seed` on, with symbolic sizes once, and second gradients once. A declared lack of a
// gradient must be refused.
void check_gradients(const OpDef& op, const OpCase& row, Report& report, std::uint64_t first_seed,
                     int seeds, const GraphCheck& graphs);

// The error that the row asks for: its code, its text, and that the text names the op and one of
// its ports.
void check_refusal(const OpDef& op, const OpCase& row, Report& report);

}  // namespace mithril::check
