// Rows of floor.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(floor) {
  return {
      {.name = "a matrix",
       .inputs = {{"input", normal({3, 4}).away_from({-3, -2, -1, 0, 1, 2, 3})}}},
      {.name = "rank 0", .inputs = {{"input", tensor({}, {1.5})}}},
      {.name = "one element", .inputs = {{"input", tensor({1}, {-1.5})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", tensor({2}, {0.5, -2.5}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({5}, {-1.5, -1, 0.5, 2, INFINITY})}},
       .expect = {{"output", tensor({5}, {-2, -1, 0, 2, INFINITY})}},
       .hold = {"input"}},
      {.name = "an int", .inputs = {{"input", -3}}, .expect = {{"output", -3}}},
      {.name = "a float", .inputs = {{"input", -0.5}}, .expect = {{"output", -1.0}}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
