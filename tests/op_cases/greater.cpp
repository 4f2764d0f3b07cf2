// Rows of greater.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(greater) {
  return {
      {.name = "two tensors", .inputs = {{"left", normal({3, 4})}, {"right", normal({3, 4})}}},
      {.name = "both are broadcast",
       .inputs = {{"left", integers({3, 1, 4}, 0, 3)}, {"right", integers({2, 1}, 0, 3)}}},
      {.name = "one element", .inputs = {{"left", normal({1})}, {"right", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"left", normal({0, 3})}, {"right", normal({3})}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({3}, {1, 2, 3})}, {"right", tensor({1}, {2})}},
       .expect = {{"output", tensor({3}, {0, 0, 1}).as(DType::boolean)}}},
      {.name = "NaN",
       .inputs = {{"left", tensor({2}, {NAN, 1})}, {"right", tensor({2}, {NAN, NAN})}},
       .expect = {{"output", tensor({2}, {0, 0}).as(DType::boolean)}}},
      {.name = "an int tensor and an int",
       .inputs = {{"left", tensor({2}, {1, 2}).as(DType::int64)}, {"right", 1}},
       .expect = {{"output", tensor({2}, {0, 1}).as(DType::boolean)}}},
      {.name = "an int tensor and a float",
       .inputs = {{"left", tensor({2}, {1, 2}).as(DType::int64)}, {"right", 1.5}},
       .expect = {{"output", tensor({2}, {0, 1}).as(DType::boolean)}}},
      {.name = "a float and a float32 tensor",
       .inputs = {{"left", 0.1}, {"right", tensor({1}, {0.1}).as(DType::float32)}},
       .expect = {{"output", tensor({1}, {0}).as(DType::boolean)}}},
      {.name = "a bool tensor and an int",
       .inputs = {{"left", tensor({2}, {0, 1}).as(DType::boolean)}, {"right", 2}},
       .expect = {{"output", tensor({2}, {0, 0}).as(DType::boolean)}}},
      {.name = "int32 and float64",
       .inputs = {{"left", integers({3}, -2, 3).as(DType::int32)}, {"right", normal({3})}}},
      {.name = "two ints", .inputs = {{"left", 2}, {"right", 3}}, .expect = {{"output", false}}},
      {.name = "an int and a float",
       .inputs = {{"left", 2}, {"right", 2.0}},
       .expect = {{"output", false}}},
      {.name = "bools", .inputs = {{"left", true}, {"right", false}}, .expect = {{"output", true}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0203"},
  };
}
