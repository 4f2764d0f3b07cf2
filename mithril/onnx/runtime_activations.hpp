// The sigmoid and the tanh of ONNX Runtime, bit for bit.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril::onnx {

// Quotients of polynomials in float32 with fused multiply-adds, as the kernels of ONNX Runtime for
// x86 compute them. They differ from the functions by at most 3e-7. Layers that round their input
// to 8 bits need the same bits: where an element is near the middle between two steps, a smaller
// difference moves it by a whole step.
Connection runtime_sigmoid(const Connection& x);
Connection runtime_tanh(const Connection& x);

}  // namespace mithril::onnx
