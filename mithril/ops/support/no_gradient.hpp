// The `grad` of ops that are differentiable, but whose gradient is zero everywhere.
#pragma once

namespace mithril {

class GradContext;

// Readers of records compare `grad` with it: no gradient flows through such an op.
inline void no_gradient(GradContext& /*context*/) {}

}  // namespace mithril
