// Examples of inputs, whose sizes are read.
#pragma once

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

// InputError E0802 for a key that is not a data input of the model. Inputs that its outputs do not
// need may be given.
void check_examples(const CompiledState& compiled, const TensorMap& examples);

}  // namespace mithril
