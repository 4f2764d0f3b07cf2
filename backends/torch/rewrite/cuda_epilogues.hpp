// Activations and sums on a GPU as epilogues of the GEMM or convolution before them.
#pragma once

#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// Records of private ops: linear with a port `activation` ("relu", "gelu"), whose bias is there,
// and conv2d with a port `addend` (of the dims of the output; optional), followed by relu.
const OpDef& cuda_linear();
const OpDef& cuda_conv2d();

// relu or gelu (by tanh) of a linear map with a bias; relu of a convolution, or of its sum with a
// tensor. What the observer wants, or a second node reads, stays as it is.
Graph use_cuda_epilogues(const Graph& graph, const Observer* observer);

}  // namespace mithril::torch_backend
