// From the options of an op's maker to the op.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// The op with those of the options that are not its defaults. An option that has no default and is
// None was left out.
Model op_with_options(std::string_view op, Arguments options);

}  // namespace mithril
