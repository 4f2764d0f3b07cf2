// Rows of repeat.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(repeat) {
  return {
      {.name = "flattened, worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"repeats", 2}},
       .expect = {{"output", tensor({8}, {1, 1, 2, 2, 3, 3, 4, 4})}}},
      {.name = "the first axis, worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"repeats", 2}, {"axis", 0}},
       .expect = {{"output", tensor({4, 2}, {1, 2, 1, 2, 3, 4, 3, 4})}}},
      {.name = "the last axis",
       .inputs = {{"input", normal({3, 5})}, {"repeats", 3}, {"axis", -1}}},
      {.name = "in between", .inputs = {{"input", normal({2, 3, 4})}, {"repeats", 2}, {"axis", 1}}},
      {.name = "once", .inputs = {{"input", normal({2, 3})}, {"repeats", 1}, {"axis", 0}}},
      {.name = "not at all", .inputs = {{"input", normal({2, 3})}, {"repeats", 0}, {"axis", 0}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}, {"repeats", 3}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"repeats", 4}, {"axis", 0}}},
      {.name = "no elements", .inputs = {{"input", normal({2, 0})}, {"repeats", 2}, {"axis", 1}}},
      {.name = "ints", .inputs = {{"input", integers({2, 3}, 0, 9)}, {"repeats", 2}, {"axis", 1}}},
      {.name = "bools", .inputs = {{"input", booleans({4})}, {"repeats", 2}, {"axis", 0}}},
      {.name = "float32",
       .inputs = {{"input", normal({2, 3}).as(DType::float32)}, {"repeats", 2}, {"axis", 0}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"repeats", 2}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "a negative number",
       .inputs = {{"input", normal({2, 3})}, {"repeats", -1}, {"axis", 0}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
