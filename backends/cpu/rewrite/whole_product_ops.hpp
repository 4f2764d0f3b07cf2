// Products of whole numbers of at most 16 bits, whose sums are int32. Only this backend has these
// ops.
#pragma once

#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {

// matmul(left - left_zero, right - right_zero). A zero is one number, or None for 0.
const OpDef& whole_matmul();
// conv2d(input - input_zero, weight, bias, ...), padded with 0 after the subtraction. The weight
// and the bias are constants.
const OpDef& whole_conv2d();

}  // namespace mithril::cpu_backend
