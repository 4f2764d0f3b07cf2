// Rows of multiply.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(multiply) {
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
       .expect = {{"output", tensor({2, 2}, {10, -20, 20, -40})}}},
      {.name = "infinity times zero",
       .inputs = {{"left", tensor({2}, {INFINITY, -INFINITY})}, {"right", tensor({2}, {0, 2})}},
       .expect = {{"output", tensor({2}, {NAN, -INFINITY})}}},
      {.name = "two ints", .inputs = {{"left", 2}, {"right", 3}}, .expect = {{"output", 6}}},
      {.name = "an int and a float",
       .inputs = {{"left", 2}, {"right", 0.5}},
       .expect = {{"output", 1.0}}},
      {.name = "two bools",
       .inputs = {{"left", true}, {"right", false}},
       .expect = {{"output", false}}},
      {.name = "ints",
       .inputs = {{"left", integers({3}, -9, 10)}, {"right", integers({2, 3}, -9, 10)}}},
      {.name = "ints and floats",
       .inputs = {{"left", integers({3}, -9, 10)}, {"right", normal({3})}}},
      {.name = "bools",
       .inputs = {{"left", tensor({4}, {0, 0, 1, 1}).as(DType::boolean)},
                  {"right", tensor({4}, {0, 1, 0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({4}, {0, 0, 0, 1}).as(DType::boolean)}}},
      {.name = "ints wrap",
       .inputs = {{"left", tensor({1}, {65536}).as(DType::int32)},
                  {"right", tensor({1}, {65536}).as(DType::int32)}},
       .expect = {{"output", tensor({1}, {0}).as(DType::int32)}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0203"},
  };
}
