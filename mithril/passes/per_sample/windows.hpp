// The factors of a convolution's weight gradient: windows of the input as columns (im2col).
#pragma once
#include "mithril/passes/per_sample/sample_copy.hpp"

namespace mithril {

// [n, groups, t, Co / groups] of gradients [n, q, Co, Ho, Wo], with t = q * Ho * Wo; without the
// axis of one group.
Expression rows_of_windows(const Expression& grad, int64_t groups);
// [n, groups, t, Cg * Kh * Kw] of the node's input, of which q images belong to each sample;
// without the axis of one group.
Expression columns_of_windows(SampleCopy& copy, NodeId weight_grad);
// [n, Co, Cg, Kh, Kw]: the weight gradient of each sample, with the samples as groups.
Expression weight_grads(SampleCopy& copy, NodeId weight_grad);

}  // namespace mithril
