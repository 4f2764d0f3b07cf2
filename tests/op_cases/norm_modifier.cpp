// Rows of norm_modifier.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(norm_modifier) {
  return {
      {.name = "a number", .inputs = {{"input", uniform({}, 1.1, 4.9)}}},
      {.name = "beyond the peak", .inputs = {{"input", uniform({}, 5.1, 8.9)}}},
      {.name = "below the range", .inputs = {{"input", uniform({3}, -6.9, -3.1)}}},
      {.name = "one element", .inputs = {{"input", uniform({1}, 1.1, 4.9)}}},
      {.name = "no elements", .inputs = {{"input", normal({0})}}},
      {.name = "float32", .inputs = {{"input", uniform({2}, 1.1, 4.9).as(DType::float32)}}},
      {.name = "a wave",
       .inputs = {{"input", tensor({7}, {1, 2, 5, 6, 9, 0, -5})}},
       .expect = {{"output", tensor({7}, {1, 2, 5, 4, 1, 2, 3})}},
       .hold = {"input"}},
      {.name = "ints have no wave", .inputs = {{"input", integers({}, 1, 4)}}, .error = "E0301"},
  };
}
