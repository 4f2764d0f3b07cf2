// Sampling of images and volumes at points of a grid.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

enum class GridSampleMode { bilinear, nearest, bicubic };
std::string_view name(GridSampleMode mode);
enum class GridSamplePaddingMode { zeros, border, reflection };
std::string_view name(GridSamplePaddingMode mode);

struct GridSampleOptions {
  GridSampleMode mode = GridSampleMode::bilinear;
  GridSamplePaddingMode padding_mode = GridSamplePaddingMode::zeros;
  bool align_corners = false;  // -1 and 1 are the centres of the outer pixels, not their borders
};
// Samples an image at the points (x, y) of `grid`, with coordinates from -1 to 1 (Jaderberg et al.
// 2015). Ports: input [N, C, H, W], grid [N, Ho, Wo, 2], output [N, C, Ho, Wo].
Model GridSample(GridSampleOptions options = {});

enum class GridSample3dMode { bilinear, nearest };  // bilinear: along all three axes
std::string_view name(GridSample3dMode mode);

struct GridSample3dOptions {
  GridSample3dMode mode = GridSample3dMode::bilinear;
  GridSamplePaddingMode padding_mode = GridSamplePaddingMode::zeros;
  bool align_corners = false;  // -1 and 1 are the centres of the outer pixels, not their borders
};
// Samples a volume at the points (x, y, z) of `grid`, with coordinates from -1 to 1, as PyTorch's
// grid_sample. Ports: input [N, C, D, H, W], grid [N, Do, Ho, Wo, 3], output [N, C, Do, Ho, Wo].
Model GridSample3d(GridSample3dOptions options = {});

}  // namespace mithril
