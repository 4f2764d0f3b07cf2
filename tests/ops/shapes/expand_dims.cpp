// Rows of expand_dims.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(expand_dims) {
  return {
      {.name = "in front", .inputs = {{"input", normal({2, 3})}, {"axis", 0}}},
      {.name = "in between", .inputs = {{"input", normal({2, 3})}, {"axis", 1}}},
      {.name = "at the end", .inputs = {{"input", normal({2, 3})}, {"axis", -1}}},
      {.name = "several", .inputs = {{"input", normal({2, 3})}, {"axis", ints({3, 0})}}},
      {.name = "none", .inputs = {{"input", normal({2, 3})}, {"axis", Tuple{}}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}, {"axis", 0}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"axis", 0}}},
      {.name = "no elements", .inputs = {{"input", normal({0})}, {"axis", 1}}},
      {.name = "bools", .inputs = {{"input", booleans({2})}, {"axis", 1}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2}, {1, 2})}, {"axis", 1}},
       .expect = {{"output", tensor({2, 1}, {1, 2})}}},
      {.name = "beyond the end",
       .inputs = {{"input", normal({2, 3})}, {"axis", 3}},
       .error = "E0402",
       .message = "axis 3 is out of range for rank 3"},
  };
}
