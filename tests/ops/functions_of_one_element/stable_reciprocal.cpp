// Rows of stable_reciprocal.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(stable_reciprocal) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4}).away_from({0})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).away_from({0}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {2, -4, 0.5})}},
       .expect = {{"output", tensor({3}, {0.5, -0.25, 2})}}},
      {.name = "ints",
       .inputs = {{"input", tensor({2}, {4, -2}).as(DType::int64)}},
       .expect = {{"output", tensor({2}, {0.25, -0.5})}}},
      {.name = "below the threshold the tangent there",
       .inputs = {{"input", tensor({3}, {0.25, -0.25, 1})}, {"threshold", 0.5}},
       .expect = {{"output", tensor({3}, {3, -3, 1})}}},
      {.name = "at 0",
       .inputs = {{"input", tensor({1}, {0})}, {"threshold", 0.5}},
       .expect = {{"output", tensor({1}, {4})}},
       .hold = {"input"}},
      {.name = "at 0 it is finite without a threshold",
       .inputs = {{"input", tensor({1}, {0})}},
       .expect = {{"output", tensor({1}, {1.3407807929942597e153})}},
       .hold = {"input"},
       .only_float64 = "the threshold follows the dtype"},
      {.name = "a threshold that is not a number",
       .inputs = {{"input", normal({2})}, {"threshold", "small"}},
       .error = "E0301"},
  };
}
