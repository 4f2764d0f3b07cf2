#include "backends/cpu/kernels/im2col_kernels.hpp"

#include "backends/cpu/kernels/instruction_set.hpp"

// Only for processors with AMX. Highway has no target for it, so this file uses intrinsics.
#if defined(__x86_64__) && defined(__linux__) && (defined(__GNUC__) || defined(__clang__))

// g++ 12 warns about the intrinsics that leave registers undefined on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>

#define MITHRIL_PATCHES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

namespace mithril::cpu_backend {
namespace {

constexpr int64_t lanes = 32, lanes_of_sums = 16;

// Mask of the lanes in [first, last).
MITHRIL_PATCHES __mmask32 lanes_in(int64_t first, int64_t last) {
  const int64_t begin = std::clamp<int64_t>(first, 0, lanes);
  const int64_t end = std::clamp<int64_t>(last, begin, lanes);
  return static_cast<__mmask32>((uint64_t{1} << end) - (uint64_t{1} << begin));
}

// The elements with even indices of two concatenated vectors.
MITHRIL_PATCHES __m512i every_second(__m512i first, __m512i second) {
  alignas(64) static constexpr auto places = [] {
    std::array<uint16_t, lanes> all{};
    for (size_t i = 0; i < lanes; ++i) all[i] = static_cast<uint16_t>(2 * i);
    return all;
  }();
  return _mm512_permutex2var_epi16(first, _mm512_load_si512(places.data()), second);
}

// Pads all rows of a vector of columns. `step` is the column stride.
template <int step>
MITHRIL_PATCHES void pad_columns(const PaddedPlane& p, int64_t column) {
  const int64_t x = column * step + p.first_column;
  const __mmask32 there = lanes_in(-x, p.from_width - x), kept = lanes_in(0, p.width - column);
  [[maybe_unused]] const __mmask32 next = lanes_in(-x - lanes, p.from_width - x - lanes);
  const uint16_t* from = p.from + p.first_row * p.from_width + x;
  uint16_t* to = p.to + column;
  int64_t y = p.first_row;
  for (int64_t row = 0; row < p.height; ++row, y += p.row_stride, to += p.width) {
    __m512i made = _mm512_setzero_si512();
    if (y >= 0 && y < p.from_height) {
      made = _mm512_maskz_loadu_epi16(there, from);
      if constexpr (step == 2) {
        made = every_second(made, _mm512_maskz_loadu_epi16(next, from + lanes));
      }
    }
    _mm512_mask_storeu_epi16(to, kept, made);
    from += p.row_stride * p.from_width;
  }
}

MITHRIL_PATCHES void pad(const PaddedPlane& p) {
  for (int64_t column = 0; column < p.width; column += lanes) {
    p.column_stride == 1 ? pad_columns<1>(p, column) : pad_columns<2>(p, column);
  }
}

// Permutation that interleaves two vectors, from element `first` of each.
MITHRIL_PATCHES __m512i places_of_pairs(int first) {
  alignas(64) uint16_t places[32];
  for (int i = 0; i < 16; ++i) {
    places[2 * i] = static_cast<uint16_t>(first + i);
    places[2 * i + 1] = static_cast<uint16_t>(32 + first + i);
  }
  return _mm512_load_si512(places);
}

MITHRIL_PATCHES void pack_pairs(const VnniPacking& p) {
  const __m512i lower = places_of_pairs(0), upper = places_of_pairs(16);
  const auto mask = static_cast<__mmask32>((uint64_t{1} << p.columns) - 1);
  const auto row = [&](int64_t k) MITHRIL_PATCHES {
    return _mm512_maskz_loadu_epi16(mask, p.from + p.offsets[k]);
  };
  float* to = p.to;
  int64_t k = 0;
  for (; k + 1 < p.count; k += 2, to += VnniPacking::nr) {
    const __m512i first = row(k), second = row(k + 1);
    _mm512_store_si512(to, _mm512_permutex2var_epi16(first, lower, second));
    _mm512_store_si512(to + lanes_of_sums, _mm512_permutex2var_epi16(first, upper, second));
  }
  if (k < p.count) {
    const __m512i only = row(k), none = _mm512_setzero_si512();
    _mm512_store_si512(to, _mm512_permutex2var_epi16(only, lower, none));
    _mm512_store_si512(to + lanes_of_sums, _mm512_permutex2var_epi16(only, upper, none));
    to += VnniPacking::nr;
  }
  std::fill(to, p.to + p.pairs * VnniPacking::nr, 0.0f);
}

MITHRIL_PATCHES void spread(const SpreadRows& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const __m512 bias = _mm512_set1_ps(p.bias ? p.bias[i] : 0.0f);
    for (const Stretch* s = p.stretches; s != p.stretches + p.count; ++s) {
      const float* from = p.from + i * p.from_step + s->from;
      float* to = p.to + i * p.to_step + s->to;
      int64_t j = 0;
      for (; j + lanes_of_sums <= s->size; j += lanes_of_sums) {
        _mm512_storeu_ps(to + j, _mm512_add_ps(_mm512_loadu_ps(from + j), bias));
      }
      const auto mask = static_cast<__mmask16>((1u << (s->size - j)) - 1);
      const __m512 rest = _mm512_maskz_loadu_ps(mask, from + j);
      _mm512_mask_storeu_ps(to + j, mask, _mm512_add_ps(rest, bias));
    }
  }
}

}  // namespace

const Im2colKernels* im2col_kernels() {
  static constexpr Im2colKernels kernels{pad, pack_pairs, spread};
  return best_instructions() < Instructions::amx ? nullptr : &kernels;
}

}  // namespace mithril::cpu_backend

#else

namespace mithril::cpu_backend {

const Im2colKernels* im2col_kernels() { return nullptr; }

}  // namespace mithril::cpu_backend

#endif
