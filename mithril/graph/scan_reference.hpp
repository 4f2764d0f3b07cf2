// The reference implementation of loops.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class EvalContext;
struct ScanLoop;

// The `eval` of op `scan`: runs the `eval` of each node of the body in each step.
void evaluate_scan(EvalContext& context);

// ShapeError E0219 if a step changes the dims of a carry. `made`: the dims of the outputs of the
// body, for inputs with the dims `given`.
void check_carries(const ScanLoop& scan, const std::vector<Dims>& given,
                   const std::vector<Dims>& made);

}  // namespace mithril
