// The constants of gelu and its gradient.
#pragma once

namespace mithril {

constexpr double root_half = 0.7071067811865476;     // sqrt(1 / 2)
constexpr double density_at_0 = 0.3989422804014327;  // 1 / sqrt(2 pi)
constexpr double tanh_scale = 0.7978845608028654;    // sqrt(2 / pi)
constexpr double tanh_cubic = 0.044715;

}  // namespace mithril
