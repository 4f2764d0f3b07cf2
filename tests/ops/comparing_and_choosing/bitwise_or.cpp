// Rows of bitwise_or.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(bitwise_or) {
  return {
      {.name = "ints",
       .inputs = {{"left", integers({3, 4}, -50, 50)}, {"right", integers({3, 4}, -50, 50)}}},
      {.name = "both are broadcast",
       .inputs = {{"left", integers({3, 1, 4}, -50, 50)}, {"right", integers({2, 1}, -50, 50)}}},
      {.name = "one element",
       .inputs = {{"left", integers({1}, 0, 9)}, {"right", integers({}, 0, 9)}}},
      {.name = "no elements",
       .inputs = {{"left", integers({0, 3}, 0, 9)}, {"right", integers({3}, 0, 9)}}},
      {.name = "bools", .inputs = {{"left", booleans({4})}, {"right", booleans({4})}}},
      {.name = "a bool with ints",
       .inputs = {{"left", booleans({4})}, {"right", integers({4}, -9, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({4}, {3, 2, 5, -1}).as(DType::int32)},
                  {"right", tensor({4}, {4, -1, 4, 3}).as(DType::int32)}},
       .expect = {{"output", tensor({4}, {7, -1, 5, -1}).as(DType::int32)}}},
      {.name = "a number", .inputs = {{"left", integers({4}, -9, 9)}, {"right", Datum(6)}}},
      {.name = "a number first", .inputs = {{"left", Datum(6)}, {"right", integers({4}, -9, 9)}}},
      {.name = "bools by hand",
       .inputs = {{"left", tensor({3}, {0, 0, 1}).as(DType::boolean)},
                  {"right", tensor({3}, {0, 1, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({3}, {0, 1, 1}).as(DType::boolean)}}},
      {.name = "floats are refused",
       .inputs = {{"left", normal({2})}, {"right", integers({2}, 0, 9)}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", integers({2, 3}, 0, 9)}, {"right", integers({2, 4}, 0, 5)}},
       .error = "E0203"},
  };
}
