#include "backends/cpu/runtime/half_elements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/half_kernels.hpp"

namespace mithril::cpu_backend {
namespace {

// Strided elements are gathered in blocks of this many before their conversion.
constexpr int64_t most_at_once = 256;

void widen_apart(const HalfKernels& kernels, const uint16_t* from, int64_t count, int64_t step,
                 float* to) {
  std::array<uint16_t, most_at_once> near;
  for (int64_t done = 0; done < count; done += most_at_once) {
    const int64_t some = std::min(most_at_once, count - done);
    for (int64_t i = 0; i < some; ++i) near[static_cast<size_t>(i)] = from[(done + i) * step];
    kernels.widen(near.data(), to + done, some);
  }
}

void widen_run(const HalfKernels& kernels, const uint16_t* from, int64_t count, int64_t step,
               float* to) {
  if (step == 1) return kernels.widen(from, to, count);
  if (step != 0) return widen_apart(kernels, from, count, step, to);
  float all = 0;
  kernels.widen(from, &all, 1);
  std::fill_n(to, count, all);
}

void widen_run(const HalfKernels& kernels, const uint16_t* from, int64_t count, int64_t step,
               double* to) {
  std::array<float, most_at_once> near;
  for (int64_t done = 0; done < count; done += most_at_once) {
    const int64_t some = std::min(most_at_once, count - done);
    widen_run(kernels, from + done * step, some, step, near.data());
    std::copy_n(near.begin(), some, to + done);
  }
}

}  // namespace

template <typename T>
void gather_halves(DType dtype, const uint16_t* elements, const BroadcastIteration& iteration,
                   int64_t begin, int64_t end, T* to) {
  const HalfKernels& kernels = half_kernels(dtype);
  iteration.each_run(begin, end, [&](int64_t at, int64_t from, int64_t count, int64_t step) {
    widen_run(kernels, elements + from, count, step, to + at);
  });
}

template <typename T>
void store_halves(DType dtype, const T* from, int64_t count, uint16_t* to) {
  if constexpr (std::is_same_v<T, float>) {
    half_kernels(dtype).narrow(from, to, count);
  } else {
    // Rounds once. A conversion through float would round twice.
    for (int64_t i = 0; i < count; ++i) {
      to[i] = dtype == DType::bfloat16 ? bfloat16(from[i]).bits : float16(from[i]).bits;
    }
  }
}

bool begins_between_floats(const Tensor& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.raw_data());
  return is_half(tensor.dtype()) && address % alignof(float) != 0;
}

template void gather_halves(DType, const uint16_t*, const BroadcastIteration&, int64_t, int64_t,
                            float*);
template void gather_halves(DType, const uint16_t*, const BroadcastIteration&, int64_t, int64_t,
                            double*);
template void store_halves(DType, const float*, int64_t, uint16_t*);
template void store_halves(DType, const double*, int64_t, uint16_t*);

}  // namespace mithril::cpu_backend
