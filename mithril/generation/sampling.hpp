// Chooses tokens by their logits.
#pragma once

#include <cstdint>
#include <span>

#include "mithril/base/random.hpp"

namespace mithril {

// The fields of GenerateOptions that choose tokens.
struct Sampling {
  double temperature;
  std::int64_t top_k;
  double top_p;
};

// The token with the largest logit, the first among equals, or a token that is drawn.
std::int64_t choose_token(std::span<const double> logits, const Sampling& sampling, Random& random);

}  // namespace mithril
