// Functions of users that compute an op on the tensors of a backend's library, such as torch's.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp

// Takes the inputs, which it may keep and write to, and the dims of the outputs. Returns the
// outputs, which have these dims, on any device and in any dtype.
using UserFunction = std::function<std::vector<Tensor>(std::span<const Tensor> inputs,
                                                       const std::vector<Dims>& outputs)>;

// The function of an op, in place of `eval` for backends whose tensors are of another
// library. It lives as long as the process. Thread-safe.
void set_user_function(const OpDef& op, UserFunction function);
const UserFunction* user_function(const OpDef& op);  // null: none

}  // namespace mithril
