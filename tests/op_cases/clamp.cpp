// Rows of clamp.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(clamp) {
  return {
      {.name = "an interval",
       .inputs = {{"input", normal({3, 4}).away_from({-0.5, 0.5})},
                  {"min_val", -0.5},
                  {"max_val", 0.5}}},
      {.name = "only from below",
       .inputs = {{"input", normal({3, 4}).away_from({-0.5})}, {"min_val", -0.5}}},
      {.name = "only from above",
       .inputs = {{"input", normal({3, 4}).away_from({0.5})}, {"max_val", 0.5}}},
      {.name = "no limit", .inputs = {{"input", normal({3})}}},
      {.name = "ints as limits",
       .inputs = {{"input", normal({3, 4}).away_from({-1, 1})}, {"min_val", -1}, {"max_val", 1}}},
      {.name = "one element", .inputs = {{"input", normal({1}).away_from({0})}, {"min_val", 0}}},
      {.name = "rank 0", .inputs = {{"input", normal({}).away_from({0})}, {"min_val", 0}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"min_val", 0}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {-2, 0.5, 2, NAN})}, {"min_val", -1}, {"max_val", 1}},
       .expect = {{"output", tensor({4}, {-1, 0.5, 1, NAN})}},
       .hold = {"input"}},
      {.name = "the upper limit wins",
       .inputs = {{"input", tensor({1}, {0})}, {"min_val", 2}, {"max_val", 1}},
       .expect = {{"output", tensor({1}, {1})}}},
      {.name = "ints",
       .inputs = {{"input", integers({5}, -9, 10)}, {"min_val", -2}, {"max_val", 2}}},
      {.name = "float32",
       .inputs = {{"input", normal({3}).as(DType::float32)}, {"min_val", -0.1}, {"max_val", 0.1}}},
      {.name = "ints without limits", .inputs = {{"input", integers({5}, -9, 10)}}},
      {.name = "ints between floats",
       .inputs = {{"input", tensor({3}, {-2, 1, 7}).as(DType::int64)},
                  {"min_val", -1.5},
                  {"max_val", 2.5}},
       .expect = {{"output", tensor({3}, {-1.5, 1, 2.5})}},
       .hold = {"input"}},
      {.name = "ints of 32 bits between an int and a float",
       .inputs = {{"input", integers({5}, -9, 10).as(DType::int32)},
                  {"min_val", -2},
                  {"max_val", 2.5}}},
      {.name = "ints below a float",
       .inputs = {{"input", integers({5}, -9, 10)}, {"max_val", 0.25}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}, {"min_val", 0}}, .error = "E0301"},
  };
}
