// The reference implementation of loops.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class EvalContext;
struct ScanLoop;

// ShapeError E0210 if a sequence, argument `i`, has another number of elements than the loop steps.
void check_steps(const ScanLoop& scan, size_t i, int64_t elements, int64_t length);

// The `eval` of op `scan`: runs the `eval` of each node of the body in each step.
void evaluate_scan(EvalContext& context);

// ShapeError E0219 if a step changes the dims of a carry. `made`: the dims of the outputs of the
// body, for inputs with the dims `given`.
void check_carries(const ScanLoop& scan, const std::vector<Dims>& given,
                   const std::vector<Dims>& made);
// The same for the first inputs and outputs of a body.
void check_carries(const Graph& body, size_t carries, const std::vector<Dims>& given,
                   const std::vector<Dims>& made);

}  // namespace mithril
