// The fused multiply-add. Only this backend has this op.
#pragma once

#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {

// left * right + addend, rounded once.
const OpDef& multiply_add();

}  // namespace mithril::cpu_backend
