// Losses of a prediction and a target, which pair their elements and do not broadcast.
#pragma once
#include <string_view>

#include "mithril/ops/support/broadcasting.hpp"

namespace mithril {

// The tensor at `port`, which has the shape of the one at `like`. Where that is not known before
// the graph runs, it is checked then: the ops of an expansion would broadcast.
inline Expression paired(const ExpandContext& e, std::string_view port, std::string_view like) {
  const Expression tensor = e.in(port), other = e.in(like);
  return same_dims(tensor, other) ? tensor : call("same_shape", {tensor, other});
}

}  // namespace mithril
