// Turns the options of an op's maker into a model of the op.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// The op with the options that differ from their defaults. An option without a default is left out
// if it is None.
Model op_with_options(std::string_view op, Arguments options);

}  // namespace mithril
