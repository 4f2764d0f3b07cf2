#include "backends/cpu/ops/pool_form.hpp"

#include <algorithm>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

std::vector<PoolForm::Run> runs_of(const WindowAxis& axis) {
  std::vector<PoolForm::Run> runs;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    // The first output whose tap is at this position or after it.
    const auto reaching = [&](int64_t place) {
      const int64_t distance = place + axis.before - tap * axis.dilation;
      return distance <= 0 ? 0 : std::min((distance + axis.stride - 1) / axis.stride, axis.output);
    };
    const int64_t begin = reaching(0), count = reaching(axis.input) - begin;
    if (count > 0) {
      runs.push_back({begin, count, begin * axis.stride - axis.before + tap * axis.dilation});
    }
  }
  return runs;
}

}  // namespace

PoolForm::Taps PoolForm::taps_of(const WindowAxis& axis, int64_t output) {
  const int64_t begin = output * axis.stride - axis.before;
  const auto reaching = [&](int64_t place) {  // the first tap at this position or after it
    return std::clamp<int64_t>(up(std::max<int64_t>(place - begin, 0), axis.dilation), 0,
                               axis.kernel);
  };
  const int64_t first = reaching(0);
  return {first, reaching(axis.input) - first};
}

std::optional<PoolForm> pool_form(const CallReader& reader, size_t options, const Dims& input,
                                  const Dims& output) {
  const Datum& kernel = reader.value(options);
  const Datum& stride = reader.value(options + 1);
  const WindowOptions moving{stride.is_none() ? kernel : stride, reader.value(options + 2),
                             reader.value(options + 3)};
  const auto axis = [&](size_t which) {
    return window_axis(moving, which, input, per_axis(kernel, which).integer(), output);
  };
  const auto height = axis(0), width = axis(1);
  if (!height || !width) return std::nullopt;
  PoolForm form{.height = *height, .width = *width, .planes = 1, .runs = runs_of(*width)};
  for (size_t i = 0; i + 2 < input.size(); ++i) form.planes *= input[i];
  return form;
}

}  // namespace mithril::cpu_backend
