// The geometry of pooling windows.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/conv/window_attributes.hpp"

namespace mithril::cpu_backend {

struct PoolForm {
  WindowAxis height, width;
  int64_t planes = 0;
  int64_t block = 1;  // elements of a position: the channels of a block in the blocked layout
  // A column of the window, along a row of outputs: `count` outputs from `begin` on read inside the
  // input. The first of them reads the input column `from`.
  struct Run {
    int64_t begin, count, from;
  };
  std::vector<Run> runs = {};  // of the window columns that read inside the input, in order

  // The taps of an output that are inside the input: `count` taps from `first` on.
  struct Taps {
    int64_t first, count;
  };
  static Taps taps_of(const WindowAxis& axis, int64_t output);

  int64_t input_plane() const { return height.input * width.input; }  // positions
  int64_t output_plane() const { return height.output * width.output; }
  int64_t taps() const { return height.kernel * width.kernel; }

  // Calls body(run, from) for each tap of the outputs of row `row`, in order. The first output of
  // the run reads element `from` of the input plane.
  template <typename Body>
  void each_run(int64_t row, Body body) const {
    for (int64_t tap = 0; tap < height.kernel; ++tap) {
      const int64_t y = row * height.stride - height.before + tap * height.dilation;
      if (y < 0 || y >= height.input) continue;
      for (const Run& run : runs) body(run, y * width.input + run.from);
    }
  }
};

// The arguments of the call from `options` on are the kernel size, stride, padding and dilation.
// None if they do not fit the dims, which `eval` reports as an error.
std::optional<PoolForm> pool_form(const CallReader& reader, size_t options, const Dims& input,
                                  const Dims& output);

}  // namespace mithril::cpu_backend
