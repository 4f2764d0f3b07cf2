// The gradient of attention by torch's kernels, which keep a sum for each query instead of a weight
// for each query and key.
#pragma once

#include <optional>

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// The operators that compute it: those of a device and dtype.
enum class AttentionKernel { cpu, flash, memory_efficient };

// Null for float64, which has none with its precision, and where a device has none for the dtype.
using AttentionKernels = std::optional<AttentionKernel> (*)(DType dtype);
std::optional<AttentionKernel> attention_on_cpu(DType dtype);
std::optional<AttentionKernel> attention_on_gpu(
    DType dtype);  // neither flash attention nor bfloat16
std::optional<AttentionKernel> attention_on_new_gpu(DType dtype);  // compute capability 8 and up

// The record of a private op: the gradients of query, key and value, given these, the gradient of
// the result and a mask or none. Where the sizes do not suit the kernel, it is spelled with
// products and softmax.
const OpDef& attention_gradient(AttentionKernel kernel);

// Replaces written-out gradients of attention, with or without a mask that needs none. `observer`:
// what it wants stays.
Graph use_attention_gradient(const Graph& graph, AttentionKernels kernels,
                             const Observer* observer);

}  // namespace mithril::torch_backend
