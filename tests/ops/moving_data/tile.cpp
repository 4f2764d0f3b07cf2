// Rows of tile.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(tile) {
  return {
      {.name = "a row, worked out by hand",
       .inputs = {{"input", tensor({2}, {1, 2})}, {"repeats", 2}},
       .expect = {{"output", tensor({4}, {1, 2, 1, 2})}}},
      {.name = "two axes, worked out by hand",
       .inputs = {{"input", tensor({1, 2}, {1, 2})}, {"repeats", ints({2, 2})}},
       .expect = {{"output", tensor({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})}}},
      {.name = "three axes",
       .inputs = {{"input", normal({2, 3, 4})}, {"repeats", ints({2, 1, 3})}}},
      {.name = "the last axes only",
       .inputs = {{"input", normal({2, 3, 4})}, {"repeats", ints({3, 2})}}},
      {.name = "more axes than the input has",
       .inputs = {{"input", normal({2, 3})}, {"repeats", ints({2, 1, 1, 2})}}},
      {.name = "once, with a new axis",
       .inputs = {{"input", normal({2, 3})}, {"repeats", ints({1, 1, 1})}}},
      {.name = "as it is", .inputs = {{"input", normal({2, 3})}, {"repeats", 1}}},
      {.name = "no numbers", .inputs = {{"input", normal({2, 3})}, {"repeats", ints({})}}},
      {.name = "not at all", .inputs = {{"input", normal({2, 3})}, {"repeats", ints({0, 2})}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}, {"repeats", ints({2, 3})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"repeats", 3}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}, {"repeats", ints({2, 2})}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}, {"repeats", 2}}},
      {.name = "bools", .inputs = {{"input", booleans({2, 2})}, {"repeats", ints({2, 1})}}},
      {.name = "float32",
       .inputs = {{"input", normal({2, 3}).as(DType::float32)}, {"repeats", ints({2, 2})}}},
      {.name = "a negative number",
       .inputs = {{"input", normal({2, 3})}, {"repeats", ints({2, -1})}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
