// The gradient of a loop, which is a loop that starts with the last step.
#pragma once

namespace mithril {

class GradContext;

// The `grad` of op `scan`. Its body is the gradient of the body: the gradients of the carries are
// its carries, and so are the sums of the gradients of the values that every step reads. A second
// loop of the forward body stacks the values that the gradient reads, besides its own outputs. The
// pass merge_loops puts it in the place of the first one.
void differentiate_scan(GradContext& context);

}  // namespace mithril
