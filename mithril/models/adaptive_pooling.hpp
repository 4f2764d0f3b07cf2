// Pooling by windows that follow from the size of the output.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct AdaptivePoolOptions {
  OptionValue output_size = 1;  // an int, or one for each axis; None there: the size of the input
};
// The mean of each window from floor(i L / size) to ceil((i + 1) L / size). Ports: input [N, C, L]
// (2D: [N, C, H, W], 3D: [N, C, D, H, W]), output [N, C, *output_size].
Model AdaptiveAvgPool1D(const AdaptivePoolOptions& options = {});
Model AdaptiveAvgPool2D(const AdaptivePoolOptions& options = {});
Model AdaptiveAvgPool3D(const AdaptivePoolOptions& options = {});
// The largest element of each of the same windows.
Model AdaptiveMaxPool1D(const AdaptivePoolOptions& options = {});
Model AdaptiveMaxPool2D(const AdaptivePoolOptions& options = {});
Model AdaptiveMaxPool3D(const AdaptivePoolOptions& options = {});

}  // namespace mithril
