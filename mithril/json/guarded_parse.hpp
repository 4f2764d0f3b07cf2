// The only place that parses JSON text.
#pragma once
#include <string_view>

#include "mithril/json/json.hpp"

namespace mithril {

struct ParseLimits {
  size_t bytes = size_t{64} << 20;  // of text
  int depth = 256;                  // of arrays and objects in each other
};

// ParseError: E0720 no JSON, E0721 nested too deep, E0722 too long, E0723 a field twice, E0724 a
// number out of range (an integer of more than 64 bits, a float that is infinite), E0725 not UTF-8;
// each with the place.
Json guarded_parse(std::string_view text, const ParseLimits& limits = {});

}  // namespace mithril
