// Rows of length.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(length) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({2, 3})}}, .expect = {{"output", 2}}},
      {.name = "no elements", .inputs = {{"input", normal({0})}}, .expect = {{"output", 0}}},
      {.name = "one element", .inputs = {{"input", booleans({1})}}, .expect = {{"output", 1}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}, .error = "E0201"},
  };
}
