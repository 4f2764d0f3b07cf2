// The kinds of things a port can hold, as bits of a set.
#pragma once
#include <cstdint>
#include <string>

namespace mithril {

using Kinds = uint16_t;  // a set of the kinds below

namespace kind {
// Tensor or value is part of the kind, so that one promotion table serves both.
constexpr Kinds bool_tensor = 1, int_tensor = 2, float_tensor = 4;
constexpr Kinds bool_value = 8, int_value = 16, float_value = 32;
constexpr Kinds string = 64, none = 128, tuple = 256, dtype = 512, slice = 1024, ellipsis = 2048;
constexpr Kinds tensor = bool_tensor | int_tensor | float_tensor;
constexpr Kinds number = bool_value | int_value | float_value;
constexpr Kinds value = number | string | none | tuple | dtype | slice | ellipsis;
constexpr Kinds any = tensor | value;
}  // namespace kind

// "float tensor or None": for messages.
std::string to_string_kinds(Kinds kinds);

}  // namespace mithril
