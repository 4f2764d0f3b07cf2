// Steps of attention: values weighed by how well their keys fit the queries.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "attention(query, key, value, attn_mask, is_causal, scale)", and without the value
// "attention_weights(query, key, attn_mask, is_causal, scale)", some rows of queries at a time, so
// that their scores stay in the second-level cache. Nothing for dtypes that kernels are not for,
// and where there are no elements.
std::optional<StepDescriptor> lower_attention(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

}  // namespace mithril::cpu_backend
