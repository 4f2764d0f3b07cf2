// Rows of round.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(round) {
  return {
      {.name = "a matrix",
       .inputs = {{"input", normal({3, 4}).away_from({-2.5, -1.5, -0.5, 0.5, 1.5, 2.5})}}},
      {.name = "rank 0", .inputs = {{"input", tensor({}, {1.25})}}},
      {.name = "one element", .inputs = {{"input", tensor({1}, {-1.75})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", tensor({2}, {0.25, -2.75}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({6}, {-2.5, 1.5, -2, 2.25, 0.5, INFINITY})}},
       .expect = {{"output", tensor({6}, {-2, 2, -2, 2, 0, INFINITY})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
