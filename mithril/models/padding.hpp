// The argument `padding` of convolutions and pools.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril {

// "int|tuple|str", a word for elements that are added on each side: 0 by default.
ArgumentDef padding_argument(std::string doc);
// What the op's port takes: the argument as it is, none for "valid", and for "same" what leaves an
// axis as long as it was at a stride of 1, the odd one at its end. `weight` tells the size of the
// window where the argument kernel_size does not.
Binding padding_binding(const CheckedArguments& arguments, size_t axes,
                        const Connection* weight = nullptr);

}  // namespace mithril
