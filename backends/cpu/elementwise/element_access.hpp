// Loads elements of buffers into the blocks of elementwise programs, and stores them.
#pragma once

#include <algorithm>
#include <type_traits>

#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/half_elements.hpp"
#include "backends/cpu/runtime/step.hpp"
#include "mithril/tensor/convert.hpp"

namespace mithril::cpu_backend {

// A buffer, and the type of its elements.
struct TypedBuffer {
  BufferRef place;
  DType dtype;
};

// Appends `count` elements to the `period` elements at `from`, so that these repeat.
template <typename T>
void repeat_elements(T* from, int64_t period, int64_t count) {
  const int64_t size = period + count;
  for (int64_t done = period; done < size;) {
    const int64_t copied = std::min(done, size - done);
    std::copy_n(from, copied, from + done);
    done += copied;
  }
}

// Converts the elements [begin, end) of the iteration over the value to T: float or double.
template <typename T>
void gather_elements(const BufferTable& buffers, const TypedBuffer& from,
                     const BroadcastIteration& iteration, int64_t begin, int64_t end, T* to) {
  if (is_half(from.dtype)) {
    return gather_halves(from.dtype, buffers.read<uint16_t>(from.place), iteration, begin, end, to);
  }
  visit_computed_dtype(from.dtype, [&](auto zero) {
    using From = decltype(zero);
    const From* elements = buffers.read<From>(from.place);
    const auto run = [&](int64_t at, int64_t first, int64_t count, int64_t step) {
      if (step == 0) {
        std::fill_n(to + at, count, convert<T>(elements[first]));
      } else if (std::is_same_v<From, T> && step == 1) {
        std::copy_n(elements + first, count, to + at);
      } else {
        for (int64_t i = 0; i < count; ++i) to[at + i] = convert<T>(elements[first + i * step]);
      }
    };
    iteration.each_run(begin, end, run, [&](int64_t at, int64_t period, int64_t count) {
      repeat_elements(to + at - period, period, count);
    });
  });
}

// Writes `count` elements of the value from element `begin` on: unchanged, converted to bool, or
// rounded to 16 bits.
template <typename T>
void store_elements(const BufferTable& buffers, const TypedBuffer& to, int64_t begin, const T* from,
                    int64_t count) {
  if (to.dtype == DType::boolean) {
    bool* truths = buffers.write<bool>(to.place) + begin;
    for (int64_t i = 0; i < count; ++i) truths[i] = from[i] != T{};
  } else if (is_half(to.dtype)) {
    store_halves(to.dtype, from, count, buffers.write<uint16_t>(to.place) + begin);
  } else {
    std::copy_n(from, count, buffers.write<T>(to.place) + begin);
  }
}

}  // namespace mithril::cpu_backend
