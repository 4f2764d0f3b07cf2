// Formulas with which records spell ops that reduce rows, the elements along the last axis:
//   "total = sum(exp({input})); output = exp({input}) / {total}"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/op/formula.hpp"

namespace mithril {

// A statement names a formula of one element (mithril/op/formula.hpp), or its sum or largest value
// over the row. Later ones read it as {name}. {width} is the number of elements of a row. The names
// of output ports are the results.
struct RowStatement {
  enum class Reduction : uint8_t { none, sum, largest };
  std::string name;
  Reduction reduction = Reduction::none;
  Formula formula;
};

// ParseError E0730 with the place of the mistake, E0732 if a formula is nested too deep.
std::vector<RowStatement> parse_row_formula(std::string_view text);

}  // namespace mithril
