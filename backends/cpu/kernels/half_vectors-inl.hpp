// Vector loads and stores that convert between 16-bit floats and float32. Compiled once for each
// target.
#if defined(MITHRIL_HALF_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef MITHRIL_HALF_VECTORS
#undef MITHRIL_HALF_VECTORS
#else
#define MITHRIL_HALF_VECTORS
#endif

#include <hwy/highway.h>

#include "mithril/tensor/float16.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::ScalableTag<uint32_t>;
using Halves = hn::Rebind<uint16_t, Floats>;

// Rounds to bfloat16, to nearest, ties to even. The result is in the upper half of each word; the
// lower half is unspecified.
HWY_ATTR inline hn::Vec<Words> rounded_words(hn::Vec<Floats> x) {
  const Words words;
  const auto bits = hn::BitCast(words, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7FFF)), odd);
  const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
  const auto is_number = hn::RebindMask(words, hn::Eq(x, x));
  return hn::IfThenElse(is_number, rounded, quiet);
}

// Loads and stores of a vector of floats from and to elements of a dtype.
struct BFloat16 {
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    const auto wide = hn::PromoteTo(Words(), hn::LoadU(Halves(), from));
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(wide));
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    const hn::Rebind<int32_t, Floats> numbers;
    const auto narrow = hn::BitCast(numbers, hn::ShiftRight<16>(rounded_words(x)));
    hn::StoreU(hn::DemoteTo(Halves(), narrow), Halves(), to);
  }
  static float widened(uint16_t bits) { return bfloat16::from_bits(bits); }
  static uint16_t narrowed(float x) { return bfloat16(x).bits; }
};

struct Float16 {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  using Stored = hn::Rebind<hwy::float16_t, Floats>;
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    return hn::PromoteTo(Floats(),
                         hn::LoadU(Stored(), reinterpret_cast<const hwy::float16_t*>(from)));
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    hn::StoreU(hn::DemoteTo(Stored(), x), Stored(), reinterpret_cast<hwy::float16_t*>(to));
  }
#else
  // Without an instruction for it, Highway's conversion treats infinities as numbers.
  HWY_ATTR static hn::Vec<Floats> load(const uint16_t* from) {
    HWY_ALIGN float wide[HWY_LANES(float)];
    for (size_t i = 0; i < HWY_LANES(float); ++i) wide[i] = widened(from[i]);
    return hn::Load(Floats(), wide);
  }
  HWY_ATTR static void store(hn::Vec<Floats> x, uint16_t* to) {
    HWY_ALIGN float wide[HWY_LANES(float)];
    hn::Store(x, Floats(), wide);
    for (size_t i = 0; i < HWY_LANES(float); ++i) to[i] = narrowed(wide[i]);
  }
#endif
  static float widened(uint16_t bits) { return float16::from_bits(bits); }
  static uint16_t narrowed(float x) { return float16(x).bits; }
};

}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
