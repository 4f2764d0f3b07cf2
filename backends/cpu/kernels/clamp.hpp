// The limits of a clamp that a kernel applies before it stores a tile.
#pragma once

namespace mithril::cpu_backend {

// x becomes min(max(x, low), high). NaN stays.
struct Clamp {
  float low, high;
};

}  // namespace mithril::cpu_backend
