// Loops that are no loops any more. Compiled once for each target.
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

// body(i) for each i, of which each knows its own when it is compiled: so an array that they index
// stays in registers.
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
