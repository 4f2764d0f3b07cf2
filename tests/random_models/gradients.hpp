// The gradients that tests of random models compute.
#pragma once

#include "mithril/grad/differentiate.hpp"

namespace mithril::tests {

// The gradients of all float outputs with respect to all float inputs.
inline DifferentiateOptions all_gradients(const Graph& forward) {
  DifferentiateOptions options;
  for (const Output& output : forward.outputs()) {
    if (is_floating(forward.value(output.value).dtype)) options.outputs.push_back(output.name);
  }
  for (const ValueId id : forward.inputs()) {
    if (is_floating(forward.value(id).dtype)) options.wanted.push_back(forward.value(id).name);
  }
  return options;
}

}  // namespace mithril::tests
