// The argument `padding` of convolutions and pools.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril {

// "int|tuple|str", a word for elements that are added on each side: 0 by default.
ArgumentDef padding_argument(std::string doc);
// The value for the op's port: the argument itself, 0 for "valid", and for "same" the padding that
// keeps the size of an axis at a stride of 1, with the odd element at the end. `weight` tells the
// size of the window where the argument kernel_size does not.
Binding padding_binding(const CheckedArguments& arguments, size_t axes,
                        const Connection* weight = nullptr);

}  // namespace mithril
