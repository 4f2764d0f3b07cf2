#include "backends/cpu/runtime/elements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/half_kernels.hpp"
#include "backends/cpu/kernels/integer_kernels.hpp"
#include "mithril/tensor/convert.hpp"

namespace mithril::cpu_backend {
namespace {

// Elements are converted in blocks of this many.
constexpr int64_t most_at_once = 256;

template <typename T>
void widen_run(const HalfKernels& kernels, const uint16_t* from, int64_t count, int64_t step,
               T* to) {
  std::array<uint16_t, most_at_once> near;
  std::array<float, most_at_once> wide;
  for (int64_t done = 0; done < count; done += most_at_once) {
    const int64_t some = std::min(most_at_once, count - done);
    const uint16_t* next = from + done * step;
    if (step != 1) {
      for (int64_t i = 0; i < some; ++i) near[static_cast<size_t>(i)] = next[i * step];
      next = near.data();
    }
    if constexpr (std::is_same_v<T, float>) {
      kernels.widen(next, to + done, some);
    } else {
      kernels.widen(next, wide.data(), some);
      std::copy_n(wide.begin(), some, to + done);
    }
  }
}

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

// Integers that kernels convert to float32 and float64, and from float32.
template <typename T>
constexpr bool is_converted_in_vectors = std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                         (sizeof(T) < 4 || std::is_same_v<T, int32_t>);

template <typename Integer>
void widen_integers(const Integer* from, int64_t count, float* to) {
  integer_kernels<Integer>().widen(from, count, to);
}
template <typename Integer>
void widen_integers(const Integer* from, int64_t count, double* to) {
  integer_kernels<Integer>().widen_to_double(from, count, to);
}

// Converts adjacent elements.
template <typename From, typename T>
void convert_run(const From* from, int64_t count, T* to) {
  if constexpr (std::is_same_v<From, T>) {
    std::copy_n(from, count, to);
  } else if constexpr (std::is_same_v<From, bool>) {
    widen_integers(reinterpret_cast<const uint8_t*>(from), count, to);  // 0 or 1
  } else if constexpr (is_converted_in_vectors<From>) {
    widen_integers(from, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = convert<T>(from[i]);
  }
}

// All numbers are values of Integer.
template <typename T, typename Integer>
void store_integers(const T* from, int64_t count, Integer* to) {
  if constexpr (is_converted_in_vectors<Integer> && std::is_same_v<T, float>) {
    integer_kernels<Integer>().narrow(from, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Integer>(from[i]);
  }
}

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

}  // namespace

template <typename T>
void gather_elements(const BufferTable& buffers, const TypedValue& from,
                     const BroadcastIteration& iteration, int64_t begin, int64_t end, T* to) {
  if (is_half(from.dtype)) {
    return gather_halves(from.dtype, buffers.read<uint16_t>(from.id), iteration, begin, end, to);
  }
  visit_dtype(from.dtype, [&](auto zero) {
    using From = decltype(zero);
    const From* elements = buffers.read<From>(from.id);
    const auto run = [&](int64_t at, int64_t first, int64_t count, int64_t step) {
      if (step == 0) {
        std::fill_n(to + at, count, convert<T>(elements[first]));
      } else if (step == 1) {
        convert_run(elements + first, count, to + at);
      } else {
        for (int64_t i = 0; i < count; ++i) to[at + i] = convert<T>(elements[first + i * step]);
      }
    };
    iteration.each_run(begin, end, run, [&](int64_t at, int64_t period, int64_t count) {
      repeat_elements(to + at - period, period, count);
    });
  });
}

template <typename T>
void store_elements(const BufferTable& buffers, const TypedValue& to, int64_t begin, const T* from,
                    int64_t count) {
  if (to.dtype == DType::boolean) {
    truth_kernels<T>().store(from, count, buffers.write<bool>(to.id) + begin);
  } else if (is_half(to.dtype)) {
    store_halves(to.dtype, from, count, buffers.write<uint16_t>(to.id) + begin);
  } else if (is_integer(to.dtype)) {
    visit_dtype(to.dtype, [&](auto zero) {
      using Integer = decltype(zero);
      if constexpr (std::is_integral_v<Integer>)
        store_integers(from, count, buffers.write<Integer>(to.id) + begin);
    });
  } else {
    std::copy_n(from, count, buffers.write<T>(to.id) + begin);
  }
}

bool begins_between_floats(const Tensor& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.raw_data());
  return is_half(tensor.dtype()) && address % alignof(float) != 0;
}

template void gather_elements(const BufferTable&, const TypedValue&, const BroadcastIteration&,
                              int64_t, int64_t, float*);
template void gather_elements(const BufferTable&, const TypedValue&, const BroadcastIteration&,
                              int64_t, int64_t, double*);
template void store_elements(const BufferTable&, const TypedValue&, int64_t, const float*, int64_t);
template void store_elements(const BufferTable&, const TypedValue&, int64_t, const double*,
                             int64_t);

}  // namespace mithril::cpu_backend
