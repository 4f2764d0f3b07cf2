// Steps of attention: softmax(scale * query * key.T + mask) * value.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "attention(query, key, value, attn_mask, is_causal, scale)", and "attention_weights(query,
// key, attn_mask, is_causal, scale)", whose result is the weights. The step computes a block of
// query rows at a time, so that its scores stay in the second-level cache. None for dtypes without
// kernels and for empty tensors.
std::optional<StepDescriptor> lower_attention(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

}  // namespace mithril::cpu_backend
