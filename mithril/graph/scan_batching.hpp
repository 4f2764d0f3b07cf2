// vmap of loops.
#pragma once

namespace mithril {

class BatchContext;

// The batching rule of op `scan`: a loop whose body computes a step for each index of the new axis.
// A carry has the axis if its first value or its next one has it.
void batch_scan(BatchContext& context);
// A rule for ops that draw numbers from one key: a loop over the indices, each with its key.
void batch_with_keys(BatchContext& context);

}  // namespace mithril
