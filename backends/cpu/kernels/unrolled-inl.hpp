// Loops that are unrolled at compile time. Compiled once for each target.
#if defined(MITHRIL_UNROLLED) == defined(HWY_TARGET_TOGGLE)
#ifdef MITHRIL_UNROLLED
#undef MITHRIL_UNROLLED
#else
#define MITHRIL_UNROLLED
#endif

#include <hwy/highway.h>

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

// Calls body(i) for each i, as a constant expression. So an array indexed by i stays in registers.
template <int count, typename Body>
HWY_INLINE void unrolled(const Body& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) HWY_ATTR {
    (body(std::integral_constant<int, i>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
