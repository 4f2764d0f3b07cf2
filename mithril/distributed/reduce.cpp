#include "mithril/distributed/reduce.hpp"

#include <type_traits>

namespace mithril {
namespace {

template <typename T>
constexpr bool is_narrow_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <typename T>
T combined(T a, T b, Reduction reduction) {
  if (reduction == Reduction::max) return a > b || a != a ? a : b;
  if (reduction == Reduction::min) return a < b || a != a ? a : b;
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;  // check_reduction refuses it
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

template <typename T>
void reduce(std::span<void* const> addresses, std::int64_t count, Reduction reduction) {
  using Wide = std::conditional_t<is_narrow_float<T>, float, T>;
  for (std::int64_t i = 0; i < count; ++i) {
    auto total = static_cast<Wide>(static_cast<const T*>(addresses[0])[i]);
    for (void* const address : addresses.subspan(1))
      total = combined(total, static_cast<Wide>(static_cast<const T*>(address)[i]), reduction);
    for (void* const address : addresses) static_cast<T*>(address)[i] = static_cast<T>(total);
  }
}

}  // namespace

void reduce_in_order(std::span<void* const> addresses, DType dtype, std::int64_t count,
                     Reduction reduction) {
  visit_dtype(dtype, [&](auto zero) { reduce<decltype(zero)>(addresses, count, reduction); });
}

}  // namespace mithril
