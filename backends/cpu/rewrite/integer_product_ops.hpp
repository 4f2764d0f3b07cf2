// Products of integers of at most 16 bits with int32 sums. Only this backend has these ops.
#pragma once

#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {

// matmul(left - left_zero, right - right_zero). A zero point is a scalar, or None for 0.
const OpDef& integer_matmul();
// conv2d(input - input_zero, weight, bias, ...), padded with 0 after the subtraction. The weight
// and the bias are constants.
const OpDef& integer_conv2d();

}  // namespace mithril::cpu_backend
