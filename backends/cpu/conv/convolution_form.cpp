#include "backends/cpu/conv/convolution_form.hpp"

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {

Convolution in_pairs(Convolution convolution) {
  convolution.inputs = (convolution.inputs + 1) / 2;
  return convolution;
}

int64_t PairedPlanes::bytes() const {
  return round_up(count() * size * int64_t{sizeof(float)}, 64);
}

void PairedPlanes::pack(const uint16_t* from, int64_t first, int64_t last, float* to) const {
  const int64_t pairs = (channels + 1) / 2;
  for (int64_t plane = first; plane < last; ++plane) {
    const int64_t channel = plane % pairs * 2;
    const uint16_t* one = from + (plane / pairs * channels + channel) * size;
    const uint16_t* other = channel + 1 < channels ? one + size : nullptr;
    bfloat16_kernels()->pair(one, other, size, to + plane * size);
  }
}

PairedPlanes planes_of_source(const Convolution& c) {
  return {c.images * c.groups, c.inputs, c.height.input * c.width.input};
}

PairedPlanes planes_of_weight(const Dims& dims) { return {dims[0], dims[1], dims[2] * dims[3]}; }

std::vector<float> paired_weight(const Tensor& weight) {
  const PairedPlanes planes = planes_of_weight(weight.dims());
  std::vector<float> pairs(static_cast<size_t>(planes.count() * planes.size));
  planes.pack(static_cast<const uint16_t*>(weight.raw_data()), 0, planes.count(), pairs.data());
  return pairs;
}

}  // namespace mithril::cpu_backend
