// Rows of leaky_relu.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(leaky_relu) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4}).away_from({0})}}},
      {.name = "rank 0", .inputs = {{"input", normal({}).away_from({0})}}},
      {.name = "one element", .inputs = {{"input", normal({1}).away_from({0})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2}).away_from({0})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).away_from({0}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {-2, 0, 2, NAN})}, {"slope", 0.5}},
       .expect = {{"output", tensor({4}, {-1, 0, 2, NAN})}},
       .hold = {"input"}},
      {.name = "another slope",
       .inputs = {{"input", normal({3, 4}).away_from({0})}, {"slope", 0.3}}},
      {.name = "an int as slope",
       .inputs = {{"input", normal({3, 4}).away_from({0})}, {"slope", -2}}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
      {.name = "a slope that is a string",
       .inputs = {{"input", normal({2})}, {"slope", "steep"}},
       .error = "E0301"},
  };
}
