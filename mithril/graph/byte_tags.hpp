// Tags of the pieces of a graph in bytes.
#pragma once
#include <cstdint>

namespace mithril::tag {

enum ValueRole : uint8_t { made, input, constant_value };
enum OfDim : uint8_t { constant, symbol, polynomial };
enum OfSymbol : uint8_t { size = 1, named = 2, product = 4, quotient = 8 };  // a sum of them
enum OfDatum : uint8_t { none, no, yes, integer, real, text, dtype, tuple, slice, ellipsis };

}  // namespace mithril::tag
