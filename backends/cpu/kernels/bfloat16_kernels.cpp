#include "backends/cpu/kernels/bfloat16_kernels.hpp"

// Highway has no target for AVX-512 BF16, so this file uses intrinsics.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

// g++ 12 warns about the intrinsics that leave registers undefined on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <algorithm>

#include "backends/cpu/kernels/amx_kernels.hpp"

#define MITHRIL_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

namespace mithril::cpu_backend {
namespace {

constexpr int mr = 14, lanes = 16;

MITHRIL_BF16 inline __m512bh load_pairs(const float* from) {
  return (__m512bh)_mm512_loadu_ps(from);
}
MITHRIL_BF16 inline __m512bh repeated(float pair) { return (__m512bh)_mm512_set1_ps(pair); }

// Accumulators of a tile: two vectors for each row.
template <int rows>
struct Sums {
  __m512 at[rows][2];

  MITHRIL_BF16 inline void add_row(int row, const float* from) {
    at[row][0] = _mm512_add_ps(at[row][0], _mm512_loadu_ps(from));
    at[row][1] = _mm512_add_ps(at[row][1], _mm512_loadu_ps(from + lanes));
  }
  MITHRIL_BF16 inline void begin(int row, float all) {
    at[row][0] = at[row][1] = _mm512_set1_ps(all);
  }

  // Adds the products of one pair of A per row and two vectors of pairs of B.
  MITHRIL_BF16 void add(const float* a, const float* b) {
    const __m512bh left = load_pairs(b), right = load_pairs(b + lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const __m512bh pair = repeated(a[i]);
      at[i][0] = _mm512_dpbf16_ps(at[i][0], left, pair);
      at[i][1] = _mm512_dpbf16_ps(at[i][1], right, pair);
    }
  }

  MITHRIL_BF16 void store(float* to, int64_t step) const {
    for (int i = 0; i < rows; ++i) {
      _mm512_storeu_ps(to + i * step, at[i][0]);
      _mm512_storeu_ps(to + i * step + lanes, at[i][1]);
    }
  }
};

template <int rows>
MITHRIL_BF16 void run_tile(const Tile<float>& t) {
  Sums<rows> sums;
  for (int i = 0; i < rows; ++i) sums.begin(i, 0.0f);
  const float *a = t.a, *b = t.b, *next = t.next;
  for (int64_t first = 0; first < t.depth; first += Tile<float>::stretch) {
    for (int64_t i = 0; i < t.lines; ++i, next += lanes) __builtin_prefetch(next, 0, 2);
    const int64_t last = std::min(first + Tile<float>::stretch, t.depth);
#pragma GCC unroll 4
    for (int64_t k = first; k < last; ++k, a += t.a_step, b += t.b_step) sums.add(a, b);
  }
  for (int i = 0; i < rows && t.add; ++i) sums.add_row(i, t.c + i * t.c_step);
  for (int i = 0; i < rows && t.bias; ++i) sums.add_row(i, t.bias);
  sums.store(t.c, t.c_step);
}

// Prefetch distance, in floats, for panels that come from memory. Measured: 1024 bytes are as fast,
// 2048 bytes slower.
constexpr int64_t prefetch_distance = 512 / int64_t{sizeof(float)};

template <int tiles, bool prefetches>
MITHRIL_BF16 void multiply_row(const Tile<float>& t, int64_t b_distance) {
  __m512 sums[tiles][2];
  for (int i = 0; i < tiles; ++i) sums[i][0] = sums[i][1] = _mm512_setzero_ps();
  const float *a = t.a, *b = t.b;
#pragma GCC unroll 2
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step, b += t.b_step) {
    const __m512bh pair = repeated(*a);
#pragma GCC unroll 4
    for (int i = 0; i < tiles; ++i) {
      const float* from = b + i * b_distance;
      if constexpr (prefetches) {
        __builtin_prefetch(from + prefetch_distance, 0, 3);
        __builtin_prefetch(from + prefetch_distance + lanes, 0, 3);
      }
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], load_pairs(from), pair);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], load_pairs(from + lanes), pair);
    }
  }
  for (int i = 0; i < tiles; ++i) {
    for (int half = 0; half < 2; ++half) {
      const int64_t at = (2 * i + half) * lanes;
      __m512 sum = sums[i][half];
      if (t.add) sum = _mm512_add_ps(sum, _mm512_loadu_ps(t.c + at));
      _mm512_storeu_ps(t.c + at, t.bias ? _mm512_add_ps(sum, _mm512_loadu_ps(t.bias + at)) : sum);
    }
  }
}

template <int tiles>
MITHRIL_BF16 void run_row(const Tile<float>& t, int64_t b_distance) {
  t.lines ? multiply_row<tiles, true>(t, b_distance) : multiply_row<tiles, false>(t, b_distance);
}

template <int rows>
MITHRIL_BF16 void run_window(const WindowTile<float>& t) {
  Sums<rows> sums;
  for (int i = 0; i < rows; ++i) sums.begin(i, t.start && !t.add ? t.start[i] : 0.0f);
  const float* a = t.a;
#pragma GCC unroll 4
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step) sums.add(a, t.b + t.offsets[k]);
  for (int i = 0; i < rows && t.add; ++i) sums.add_row(i, t.c + i * t.c_step);
  sums.store(t.c, t.c_step);
}

template <int rows>
MITHRIL_BF16 void run_dots(const Dots<float>& t, int64_t first) {
  const float* from[rows];
  __m512 sums[rows];
  for (int j = 0; j < rows; ++j) {
    from[j] = t.rows + (first + j) * t.row_step;
    sums[j] = _mm512_setzero_ps();
  }
  for (int64_t k = 0; k < t.depth; k += lanes) {
    const auto count = static_cast<unsigned>(std::min<int64_t>(t.depth - k, lanes));
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const auto x = (__m512bh)_mm512_maskz_loadu_ps(mask, t.x + k);
    for (int j = 0; j < rows; ++j) {
      const auto row = (__m512bh)_mm512_maskz_loadu_ps(mask, from[j] + k);
      sums[j] = _mm512_dpbf16_ps(sums[j], x, row);
    }
  }
  for (int j = 0; j < rows; ++j) {
    float sum = _mm512_reduce_add_ps(sums[j]);
    if (t.add) sum += t.out[first + j];
    t.out[first + j] = t.bias ? sum + t.bias[first + j] : sum;
  }
}

MITHRIL_BF16 void dots(const Dots<float>& t) {
  int64_t j = 0;
  for (; j + 8 <= t.count; j += 8) run_dots<8>(t, j);
  for (; j < t.count; ++j) run_dots<1>(t, j);
}

MITHRIL_BF16 void pair(const uint16_t* first, const uint16_t* second, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += lanes) {
    const auto some = static_cast<unsigned>(std::min<int64_t>(count - i, lanes));
    const auto mask = static_cast<__mmask16>((1u << some) - 1);
    const __m512i lower = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, first + i));
    const __m512i upper = second ? _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, second + i))
                                 : _mm512_setzero_si512();
    _mm512_mask_storeu_epi32(to + i, mask, _mm512_or_si512(lower, _mm512_slli_epi32(upper, 16)));
  }
}

template <int rows>
void fill(BFloat16Kernels& kernels) {
  if constexpr (rows > 0) {
    kernels.products.tile[rows] = run_tile<rows>;
    kernels.windows.tile[rows] = run_window<rows>;
    fill<rows - 1>(kernels);
  }
}

bool is_present() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16");
}

}  // namespace

const BFloat16Kernels* bfloat16_kernels() {
  static const bool present = is_present();
  if (!present || best_instructions() < Instructions::avx512) return nullptr;
  static const BFloat16Kernels kernels = [] {
    BFloat16Kernels made{.products = gemm_kernels<float>(Instructions::avx512),
                         .windows = implicit_gemm_kernels<float>(Instructions::avx512),
                         .pair = pair};
    made.products.reads_rows = false;
    made.products.dots = dots;
    made.products.row = {nullptr, run_row<1>, run_row<2>, run_row<3>, run_row<4>};
    fill<mr>(made);
    return made;
  }();
  if (best_instructions() < Instructions::amx) return &kernels;
  static const BFloat16Kernels faster = [] {
    BFloat16Kernels made = kernels;
    made.products = with_amx(kernels.products);
    made.blocks = amx_block_kernels();
    // On processors with AMX, an AVX-512 BF16 product of pairs takes as long as two float32
    // products.
    made.convolves = false;
    return made;
  }();
  return &faster;
}

}  // namespace mithril::cpu_backend

#else

namespace mithril::cpu_backend {

const BFloat16Kernels* bfloat16_kernels() { return nullptr; }

}  // namespace mithril::cpu_backend

#endif
