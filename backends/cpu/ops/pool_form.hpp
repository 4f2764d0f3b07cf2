// Where the windows of pooling meet what they move over.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/conv/window_attributes.hpp"

namespace mithril::cpu_backend {

struct PoolForm {
  WindowAxis height, width;
  int64_t planes = 0;
  int64_t block = 1;  // elements of a place: more where channels are in blocks
  // A tap along a row of outputs: those that it meets, and where it meets the first of them.
  struct Run {
    int64_t begin, count, from;
  };
  std::vector<Run> runs = {};  // of the taps that meet any, in their order

  // Those taps of an output that stand on the input: so many from the first on.
  struct Taps {
    int64_t first, count;
  };
  static Taps taps_of(const WindowAxis& axis, int64_t output);

  int64_t input_plane() const { return height.input * width.input; }  // places
  int64_t output_plane() const { return height.output * width.output; }
  int64_t taps() const { return height.kernel * width.kernel; }

  // Calls body(run, from) for all taps of a row of outputs, in their order; the run's first output
  // meets the element `from` of the plane.
  template <typename Body>
  void each_run(int64_t row, Body body) const {
    for (int64_t tap = 0; tap < height.kernel; ++tap) {
      const int64_t y = row * height.stride - height.before + tap * height.dilation;
      if (y < 0 || y >= height.input) continue;
      for (const Run& run : runs) body(run, y * width.input + run.from);
    }
  }
};

// The call's arguments from `options` on are the size of the kernel, stride, padding and dilation.
// Nothing where the window cannot move so, which `eval` refuses.
std::optional<PoolForm> pool_form(const CallReader& reader, size_t options, const Dims& input,
                                  const Dims& output);

}  // namespace mithril::cpu_backend
