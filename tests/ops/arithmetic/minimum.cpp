// Rows of minimum.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(minimum) {
  return {
      {.name = "two tensors", .inputs = {{"left", distinct({3, 4})}, {"right", distinct({3, 4})}}},
      {.name = "both are broadcast",
       .inputs = {{"left", distinct({3, 1, 4})}, {"right", normal({2, 1})}}},
      {.name = "one element", .inputs = {{"left", normal({1})}, {"right", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"left", normal({0, 3})}, {"right", normal({3})}}},
      {.name = "a tensor and a float",
       .inputs = {{"left", normal({2, 3}).away_from({0.5})}, {"right", 0.5}}},
      {.name = "a float and a tensor",
       .inputs = {{"left", 0.5}, {"right", normal({2, 3}).away_from({0.5})}}},
      {.name = "float32 and float64",
       .inputs = {{"left", normal({3}).as(DType::float32)}, {"right", normal({2, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({4}, {1, 4, 5, 5})}, {"right", tensor({4}, {3, -2, 5, 6})}},
       .expect = {{"output", tensor({4}, {1, -2, 5, 5})}},
       .hold = {"left", "right"}},
      {.name = "NaN on either side",
       .inputs = {{"left", tensor({2}, {NAN, 1})}, {"right", tensor({2}, {1, NAN})}},
       .expect = {{"output", tensor({2}, {NAN, NAN})}},
       .hold = {"left", "right"}},
      {.name = "ints",
       .inputs = {{"left", integers({3}, -9, 10)}, {"right", integers({2, 3}, -9, 10)}}},
      {.name = "ints and floats",
       .inputs = {{"left", integers({3}, -9, 10)}, {"right", normal({3})}}},
      {.name = "bools",
       .inputs = {{"left", tensor({4}, {0, 0, 1, 1}).as(DType::boolean)},
                  {"right", tensor({4}, {0, 1, 0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({4}, {0, 0, 0, 1}).as(DType::boolean)}}},
      {.name = "two ints", .inputs = {{"left", 2}, {"right", 3}}, .expect = {{"output", 2}}},
      {.name = "an int and a float",
       .inputs = {{"left", 2}, {"right", 0.5}},
       .expect = {{"output", 0.5}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0203"},
  };
}
