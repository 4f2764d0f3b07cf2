// Rows of relu.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(relu) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4}).away_from({0})}}},
      {.name = "rank 0", .inputs = {{"input", normal({}).away_from({0})}}},
      {.name = "one element", .inputs = {{"input", normal({1}).away_from({0})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2}).away_from({0})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).away_from({0}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {-1, 0, 2, NAN})}},
       .expect = {{"output", tensor({4}, {0, 0, 2, NAN})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
