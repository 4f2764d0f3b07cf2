// Rows of size.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(size) {
  return {
      {.name = "all elements", .inputs = {{"input", normal({2, 3})}}, .expect = {{"output", 6}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}, .expect = {{"output", 1}}},
      {.name = "along an axis",
       .inputs = {{"input", normal({2, 3})}, {"dim", -1}},
       .expect = {{"output", 3}}},
      {.name = "along several",
       .inputs = {{"input", normal({2, 3, 4})}, {"dim", ints({2, 0})}},
       .expect = {{"output", ints({4, 2})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}}, .expect = {{"output", 0}}},
      {.name = "one element", .inputs = {{"input", booleans({1})}}, .expect = {{"output", 1}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"dim", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
