// Rows of cartesian_difference.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cartesian_difference) {
  return {
      {.name = "two matrices", .inputs = {{"left", normal({3, 4})}, {"right", normal({2, 4})}}},
      {.name = "a row each", .inputs = {{"left", normal({1, 3})}, {"right", normal({1, 3})}}},
      {.name = "no rows", .inputs = {{"left", normal({0, 3})}, {"right", normal({2, 3})}}},
      {.name = "float32 and float64",
       .inputs = {{"left", normal({2, 3}).as(DType::float32)}, {"right", normal({2, 3})}}},
      {.name = "as a hand does",
       .inputs = {{"left", tensor({2, 1}, {5, 7})}, {"right", tensor({2, 1}, {1, 2})}},
       .expect = {{"output", tensor({2, 2, 1}, {4, 3, 6, 5})}}},
      {.name = "ints",
       .inputs = {{"left", integers({2, 2}, 0, 9)}, {"right", integers({3, 2}, 0, 9)}}},
      {.name = "rows of another length",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0202"},
      {.name = "no matrix",
       .inputs = {{"left", normal({3})}, {"right", normal({2, 3})}},
       .error = "E0201"},
  };
}
