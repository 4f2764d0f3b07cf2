#include "backends/cpu/kernels/half_weight_kernels.hpp"

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/half_weight_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "backends/cpu/kernels/half_vectors-inl.hpp"
#include "backends/cpu/kernels/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

using Vector = hn::Vec<Floats>;
constexpr int64_t lanes = HWY_LANES(float);
constexpr int64_t line_size = 64 / int64_t{sizeof(float)};  // of the cache, in elements

// The elements of one k: two vectors.
struct Row {
  Vector left, right;
};

// Each 32-bit word contains an element of the left vector in its lower half and one of the right
// vector in its upper half, so that each vector needs only one operation to widen.
struct StoredBFloat16 {
  HWY_ATTR static Row load(const uint16_t* from) {
    const Words words;
    const auto both = hn::LoadU(words, reinterpret_cast<const uint32_t*>(from));
    return {hn::BitCast(Floats(), hn::ShiftLeft<16>(both)),
            hn::BitCast(Floats(), hn::And(both, hn::Set(words, 0xFFFF0000)))};
  }
  HWY_ATTR static void store(Row row, uint16_t* to) {
    const Words words;
    const auto upper = hn::And(rounded_words(row.right), hn::Set(words, 0xFFFF0000));
    const auto lower = hn::ShiftRight<16>(rounded_words(row.left));
    hn::StoreU(hn::Or(upper, lower), words, reinterpret_cast<uint32_t*>(to));
  }
};

struct StoredFloat16 {
  HWY_ATTR static Row load(const uint16_t* from) {
    return {Float16::load(from), Float16::load(from + lanes)};
  }
  HWY_ATTR static void store(Row row, uint16_t* to) {
    Float16::store(row.left, to);
    Float16::store(row.right, to + lanes);
  }
};

#if HWY_TARGET == HWY_AVX3
constexpr int mr = 14;
#else
constexpr int mr = 6;
#endif

HWY_ATTR inline Row zero_row() { return {hn::Zero(Floats()), hn::Zero(Floats())}; }

HWY_ATTR inline void end_row(const Tile<float>& t, int i, Row sums) {
  const Floats d;
  float* c = t.c + i * t.c_step;
  if (t.add) {
    sums.left = hn::Add(sums.left, hn::LoadU(d, c));
    sums.right = hn::Add(sums.right, hn::LoadU(d, c + lanes));
  }
  if (t.bias) {
    sums.left = hn::Add(sums.left, hn::LoadU(d, t.bias));
    sums.right = hn::Add(sums.right, hn::LoadU(d, t.bias + lanes));
  }
  hn::StoreU(sums.left, d, c);
  hn::StoreU(sums.right, d, c + lanes);
}

HWY_ATTR inline void add_product(float factor, Row row, Row& sums) {
  const Vector all = hn::Set(Floats(), factor);
  sums.left = hn::MulAdd(all, row.left, sums.left);
  sums.right = hn::MulAdd(all, row.right, sums.right);
}

template <class Stored, int rows>
HWY_ATTR void run_tile(const Tile<float>& t) {
  Row sums[rows];
  unrolled<rows>([&](auto i) HWY_ATTR { sums[i] = zero_row(); });
  const float *a = t.a, *next = t.next;
  const auto* b = reinterpret_cast<const uint16_t*>(t.b);
  for (int64_t first = 0; first < t.depth; first += Tile<float>::stretch) {
    for (int64_t i = 0; i < t.lines; ++i, next += line_size) __builtin_prefetch(next, 0, 2);
    const int64_t last = std::min(first + Tile<float>::stretch, t.depth);
#pragma GCC unroll 4
    for (int64_t k = first; k < last; ++k, a += t.a_step, b += 2 * lanes) {
      const Row row = Stored::load(b);
      unrolled<rows>([&](auto i) HWY_ATTR { add_product(a[i], row, sums[i]); });
    }
  }
  unrolled<rows>([&](auto i) HWY_ATTR { end_row(t, i, sums[i]); });
}

// Prefetch distance, in elements, for panels that come from memory. Measured: 1024 and 4096 bytes
// are slower.
constexpr int64_t prefetch_distance = 2048 / int64_t{sizeof(uint16_t)};

template <class Stored, int tiles, bool prefetches>
HWY_ATTR void multiply_row(const Tile<float>& t, int64_t b_distance) {
  const auto* b = reinterpret_cast<const uint16_t*>(t.b);
  const int64_t distance = 2 * b_distance;
  Tile<float> part = t;
  Row sums[tiles];
  for (int i = 0; i < tiles; ++i) sums[i] = zero_row();
  const float* a = t.a;
#pragma GCC unroll 2
  for (int64_t k = 0; k < t.depth; ++k, a += t.a_step, b += 2 * lanes) {
#pragma GCC unroll 4
    for (int i = 0; i < tiles; ++i) {
      const uint16_t* from = b + i * distance;
      if constexpr (prefetches) __builtin_prefetch(from + prefetch_distance, 0, 3);
      add_product(*a, Stored::load(from), sums[i]);
    }
  }
  for (int i = 0; i < tiles; ++i) {
    part.c = t.c + i * 2 * lanes;
    part.bias = t.bias ? t.bias + i * 2 * lanes : nullptr;
    end_row(part, 0, sums[i]);
  }
}

template <class Stored, int tiles>
HWY_ATTR void run_row(const Tile<float>& t, int64_t b_distance) {
  t.lines ? multiply_row<Stored, tiles, true>(t, b_distance)
          : multiply_row<Stored, tiles, false>(t, b_distance);
}

template <class Stored>
HWY_ATTR void store(const float* panel, int64_t depth, uint16_t* to) {
  const Floats d;
  for (int64_t k = 0; k < depth; ++k, panel += 2 * lanes, to += 2 * lanes) {
    Stored::store({hn::LoadU(d, panel), hn::LoadU(d, panel + lanes)}, to);
  }
}

template <class Stored, int rows>
void fill(GemmKernels<float>& kernels) {
  if constexpr (rows > 0) {
    kernels.tile[rows] = run_tile<Stored, rows>;
    fill<Stored, rows - 1>(kernels);
  }
}

#if HWY_TARGET == HWY_AVX3
constexpr Instructions own = Instructions::avx512;
#elif HWY_TARGET == HWY_AVX2
constexpr Instructions own = Instructions::avx2;
#else
constexpr Instructions own = Instructions::portable;
#endif

template <class Stored>
const HalfWeightKernels& kernels() {
  static const HalfWeightKernels filled = [] {
    HalfWeightKernels made{.products = gemm_kernels<float>(own), .store = store<Stored>};
    made.products.reads_rows = false;
    made.products.dots = nullptr;
    made.products.row = {nullptr, run_row<Stored, 1>, run_row<Stored, 2>, run_row<Stored, 3>,
                         run_row<Stored, 4>};
    made.products.packing = 2;
    fill<Stored, mr>(made.products);
    return made;
  }();
  return filled;
}

}  // namespace

const HalfWeightKernels& stored_as_bfloat16() { return kernels<StoredBFloat16>(); }
const HalfWeightKernels& stored_as_float16() { return kernels<StoredFloat16>(); }

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {

const HalfWeightKernels& stored_matmul_kernels(DType stored, Instructions instructions) {
  if (stored == DType::float16) {
    MITHRIL_RETURN_KERNELS(instructions, stored_as_float16);
  }
  MITHRIL_RETURN_KERNELS(instructions, stored_as_bfloat16);
}

}  // namespace mithril::cpu_backend
#endif
