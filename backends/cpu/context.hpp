// What drafts of steps may know of the plan that they are for.
#pragma once

#include <vector>

#include "backends/cpu/draft.hpp"
#include "backends/cpu/packed_constants.hpp"

namespace mithril::cpu_backend {

struct Context {
  const Sized& sized;
  PackedConstants& packed;
  int threads = 1;  // at most, that a step may use
};

}  // namespace mithril::cpu_backend
