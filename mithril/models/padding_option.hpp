// The option `padding` of convolutions and pools.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "mithril/model/model.hpp"

namespace mithril {

// valid: no padding; same: as many elements as before at a stride of 1, an odd one at the end.
enum class Padding { valid, same };
constexpr std::string_view name(Padding padding) {
  return padding == Padding::same ? "same" : "valid";
}

// Elements that are added on each side: a Padding, a number, or a tuple of one number or one pair
// for each axis.
class PaddingOption {
 public:
  PaddingOption(Padding padding) : datum_(std::string(name(padding))) {}
  template <Number T>
  PaddingOption(T number) : datum_(to_int64(number)) {}
  PaddingOption(std::initializer_list<OptionValue> items)
      : datum_(Tuple(items.begin(), items.end())) {}
  PaddingOption(Datum numbers) : datum_(std::move(numbers)) {}
  operator const Datum&() const { return datum_; }

 private:
  Datum datum_;
};

}  // namespace mithril
