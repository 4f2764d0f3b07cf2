#include "backends/cpu/kernels/bfloat16_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

// Highway has no target for AMX, so this file uses intrinsics.
#ifdef MITHRIL_HAS_AMX_KERNELS

// g++ 12 warns about the intrinsics that leave registers undefined on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>

#define MITHRIL_AMX \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))
#define MITHRIL_PATCHES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

namespace mithril::cpu_backend {
namespace {

// Pairs in a row of a tile register, and its maximum number of rows.
constexpr int64_t side = 16;
constexpr int64_t mr = 2 * side, nr = 2 * side;

// The tile configuration in the format of LDTILECFG. Registers 0 to 3 accumulate C: two for each
// half of the rows. 4 and 5 contain the two halves of A, 6 and 7 the two halves of B.
struct alignas(64) Shapes {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {};  // of each row
  uint8_t rows[16] = {};

  Shapes(int64_t of_rows, int64_t depth) {
    const int64_t lower = std::min(of_rows, side), upper = of_rows - lower;
    for (const int sums : {0, 1}) set(sums, lower, side);
    set(4, lower, depth);
    for (const int right : {6, 7}) set(right, depth, side);
    if (upper == 0) return;
    for (const int sums : {2, 3}) set(sums, upper, side);
    set(5, upper, depth);
  }

 private:
  void set(int which, int64_t of_rows, int64_t columns) {
    rows[which] = static_cast<uint8_t>(of_rows);
    bytes[which] = static_cast<uint16_t>(columns * int64_t{sizeof(float)});
  }
};

// The tile configuration of this thread. Loading one takes as long as a block of products, so it is
// kept from tile to tile.
struct TileShape {
  int64_t rows = 0, depth = 0;

  bool operator==(const TileShape&) const = default;
};
thread_local TileShape current_shape;

MITHRIL_AMX void take_shape(int64_t rows, int64_t depth) {
  const TileShape wanted{rows, depth};
  if (current_shape == wanted) return;
  current_shape = wanted;
  const Shapes shapes(rows, depth);
  // g++ 12's intrinsic declares that it reads only the first bytes of the configuration.
  asm volatile("" : : "m"(shapes));
  _tile_loadconfig(&shapes);
}

MITHRIL_AMX void release_registers() {
  current_shape = {};
  _tile_release();
}

// Initialises the accumulators with c, the bias (the same in all rows), or zero.
template <bool both_halves>
MITHRIL_AMX void begin_sums(const float* c, int64_t c_step, bool add, const float* bias) {
  if (!add && !bias) {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (both_halves) {
      _tile_zero(2);
      _tile_zero(3);
    }
    return;
  }
  const float *lower = add ? c : bias, *upper = add ? c + side * c_step : bias;
  const size_t step = add ? static_cast<size_t>(c_step) * sizeof(float) : 0;
  _tile_loadd(0, lower, step);
  _tile_loadd(1, lower + side, step);
  if constexpr (both_halves) {
    _tile_loadd(2, upper, step);
    _tile_loadd(3, upper + side, step);
  }
}

template <bool both_halves>
MITHRIL_AMX void end_sums(float* c, int64_t c_step) {
  const size_t step = static_cast<size_t>(c_step) * sizeof(float);
  _tile_stored(0, c, step);
  _tile_stored(1, c + side, step);
  if constexpr (both_halves) {
    float* upper = c + side * c_step;
    _tile_stored(2, upper, step);
    _tile_stored(3, upper + side, step);
  }
}

// A of a tile: blocks of `side` pairs of each row. Steps are in floats.
struct BlocksOfA {
  const float* begin;
  int64_t step, row_step;  // between two blocks, and between two rows of a block
};

// Adds the products of `blocks` blocks, each of `depth` pairs, to c. If `add` is not set, the sums
// start from the bias. A is loaded with streaming loads, so that B stays in the L1 cache.
template <bool both_halves>
MITHRIL_AMX void add_blocks(const Tile<float>& t, int64_t rows, const BlocksOfA& from,
                            const float* b, int64_t blocks, int64_t depth, bool add) {
  constexpr int64_t bytes = int64_t{sizeof(float)};
  const auto row = static_cast<size_t>(from.row_step * bytes);
  take_shape(rows, depth);
  const auto b_step = static_cast<size_t>(t.b_step * bytes);
  begin_sums<both_halves>(t.c, t.c_step, add, t.bias);
  const float *a = from.begin, *next = t.next;
  // The cache lines for a stretch of k, spread over its blocks.
  const int64_t lines =
      next ? (t.lines * side + Tile<float>::stretch - 1) / Tile<float>::stretch : 0;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t i = 0; i < lines; ++i, next += side) __builtin_prefetch(next, 0, 2);
    _tile_loadd(6, b, b_step);
    _tile_stream_loadd(4, a, row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + side, b_step);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (both_halves) {
      _tile_stream_loadd(5, a + side * from.row_step, row);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    a += from.step;
    b += side * t.b_step;
  }
  end_sums<both_halves>(t.c, t.c_step);
}

// The rows of A are output pixels.
template <bool both_halves>
MITHRIL_AMX void add_runs(const BlockTile& t, int64_t rows) {
  constexpr size_t b_step = nr * sizeof(float);
  const auto row = static_cast<size_t>(t.a_step) * sizeof(float);
  take_shape(rows, t.run);
  begin_sums<both_halves>(t.c, nr, t.add, t.bias);
  const float *b = t.b, *next = t.next;
  for (int64_t r = 0; r < t.runs; ++r, b += t.run * nr) {
    const float* a = t.a + t.offsets[r];
    for (int64_t i = 0; i < t.lines; ++i, next += side) __builtin_prefetch(next, 0, 2);
    _tile_loadd(6, b, b_step);
    _tile_loadd(4, a, row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + side, b_step);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (both_halves) {
      _tile_loadd(5, a + side * t.a_step, row);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  end_sums<both_halves>(t.c, nr);
}

template <int rows>
void run_block_tile(const BlockTile& t) {
  add_runs<(rows > side)>(t, rows);
}

template <int rows>
void fill(NchwcKernels::Tiles& tiles) {
  if constexpr (rows > 0) {
    tiles[rows] = run_block_tile<rows>;
    fill<rows - 1>(tiles);
  }
}

MITHRIL_AMX void add_bias(const Tile<float>& t, int64_t rows) {
  const __m512 left = _mm512_loadu_ps(t.bias), right = _mm512_loadu_ps(t.bias + side);
  for (int64_t i = 0; i < rows; ++i) {
    float* c = t.c + i * t.c_step;
    _mm512_storeu_ps(c, _mm512_add_ps(_mm512_loadu_ps(c), left));
    _mm512_storeu_ps(c + side, _mm512_add_ps(_mm512_loadu_ps(c + side), right));
  }
}

// The values of k that do not fill a block need another tile configuration.
template <int rows>
void run_tile(const Tile<float>& t) {
  const BlocksOfA a =
      t.a_row_step > 0 ? BlocksOfA{t.a, side, t.a_row_step} : BlocksOfA{t.a, side * t.a_step, side};
  const int64_t blocks = t.depth / side, rest = t.depth % side;
  if (blocks > 0 || rest == 0) {
    add_blocks<(rows > side)>(t, rows, a, t.b, blocks, side, t.add);
  }
  if (rest > 0) {
    BlocksOfA last = a;
    last.begin += blocks * a.step;
    Tile<float> end = t;
    end.next = nullptr;
    add_blocks<(rows > side)>(end, rows, last, t.b + blocks * side * t.b_step, 1, rest,
                              t.add || blocks > 0);
  }
  if (t.bias && t.add) add_bias(t, rows);
}

// A single row uses the GEMV kernels, so there is no tile of one row. Rows are split evenly, so
// none is left over.
template <int rows>
void fill(GemmKernels<float>& kernels) {
  if constexpr (rows > 1) {
    kernels.tile[rows] = run_tile<rows>;
    fill<rows - 1>(kernels);
  }
}

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

GemmKernels<float> with_amx(GemmKernels<float> kernels) {
  static_assert(mr <= GemmKernels<float>::most_rows);
  static_assert(nr <= GemmKernels<float>::most_nr);
  kernels.mr = mr;
  kernels.nr = nr;
  kernels.kc = 384;
  kernels.a_block = side;
  kernels.b_stationary = true;
  kernels.release = release_registers;
  kernels.rows_worth_reading *= 8;
  fill<mr>(kernels);
  return kernels;
}

NchwcKernels amx_block_kernels() {
  static_assert(side == channel_block && mr <= NchwcKernels::most_rows);
  NchwcKernels kernels{.mr = mr, .nr = nr, .block = 2 * channel_block};
  fill<mr>(kernels.blocks[0]);
  kernels.blocks[1] = kernels.blocks[0];
  kernels.release = release_registers;
  return kernels;
}

const Im2colKernels* im2col_kernels() {
  static constexpr Im2colKernels kernels{pad, pack_pairs, spread};
  return best_instructions() < Instructions::amx ? nullptr : &kernels;
}

}  // namespace mithril::cpu_backend

#else

namespace mithril::cpu_backend {

GemmKernels<float> with_amx(GemmKernels<float> kernels) { return kernels; }
NchwcKernels amx_block_kernels() { return {}; }
const Im2colKernels* im2col_kernels() { return nullptr; }

}  // namespace mithril::cpu_backend

#endif
