// Rows of subtract.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(subtract) {
  return {
      {.name = "two tensors", .inputs = {{"left", normal({3, 4})}, {"right", normal({3, 4})}}},
      {.name = "both are broadcast",
       .inputs = {{"left", normal({3, 1, 4})}, {"right", normal({2, 1})}}},
      {.name = "rank 0 and 2", .inputs = {{"left", normal({})}, {"right", normal({2, 3})}}},
      {.name = "one element", .inputs = {{"left", normal({1})}, {"right", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"left", normal({0, 3})}, {"right", normal({3})}}},
      {.name = "a tensor and a float", .inputs = {{"left", normal({2, 3})}, {"right", 2.5}}},
      {.name = "a float and a tensor", .inputs = {{"left", 2.5}, {"right", normal({2, 3})}}},
      {.name = "a tensor and an int", .inputs = {{"left", normal({2, 3})}, {"right", 3}}},
      {.name = "float32 and float64",
       .inputs = {{"left", normal({3}).as(DType::float32)}, {"right", normal({2, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({2}, {1, -2})}, {"right", tensor({2, 1}, {10, 20})}},
       .expect = {{"output", tensor({2, 2}, {-9, -12, -19, -22})}}},
      {.name = "two ints", .inputs = {{"left", 2}, {"right", 3}}, .expect = {{"output", -1}}},
      {.name = "an int and a float",
       .inputs = {{"left", 2}, {"right", 0.5}},
       .expect = {{"output", 1.5}}},
      {.name = "ints",
       .inputs = {{"left", integers({3}, -9, 10)}, {"right", integers({2, 3}, -9, 10)}}},
      {.name = "ints and bools",
       .inputs = {{"left", integers({4}, -9, 10)}, {"right", booleans({4})}}},
      {.name = "ints wrap",
       .inputs = {{"left", tensor({1}, {-2147483648.0}).as(DType::int32)},
                  {"right", tensor({1}, {1}).as(DType::int32)}},
       .expect = {{"output", tensor({1}, {2147483647}).as(DType::int32)}}},
      {.name = "bools have no difference",
       .inputs = {{"left", booleans({2})}, {"right", booleans({2})}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0203"},
  };
}
