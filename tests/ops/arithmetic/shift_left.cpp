// Rows of shift_left.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(shift_left) {
  return {
      {.name = "two tensors",
       .inputs = {{"input", integers({3, 4}, -50, 50)}, {"shift", integers({3, 4}, 0, 5)}}},
      {.name = "both are broadcast",
       .inputs = {{"input", integers({3, 1, 4}, -50, 50)}, {"shift", integers({2, 1}, 0, 5)}}},
      {.name = "one element",
       .inputs = {{"input", integers({1}, 1, 9)}, {"shift", integers({}, 0, 5)}}},
      {.name = "no elements",
       .inputs = {{"input", integers({0, 3}, 1, 9)}, {"shift", integers({3}, 0, 5)}}},
      {.name = "int32, with shifts past the width",
       .inputs = {{"input", tensor({5}, {1, 2, -4, 3, -3}).as(DType::int32)},
                  {"shift", tensor({5}, {0, 1, 2, 32, -1}).as(DType::int32)}},
       .expect = {{"output", tensor({5}, {1, 4, -16, 0, 0}).as(DType::int32)}}},
      {.name = "a tensor by an int", .inputs = {{"input", integers({5}, -50, 50)}, {"shift", 3}}},
      {.name = "bools count as 0 and 1",
       .inputs = {{"input", integers({3}, -50, 50)}, {"shift", booleans({3})}}},
      {.name = "two ints", .inputs = {{"input", -3}, {"shift", 2}}, .expect = {{"output", -12}}},
      {.name = "a negative int",
       .inputs = {{"input", 3}, {"shift", -1}},
       .error = "E0402",
       .message = "the shift is out of range"},
      {.name = "floats are refused",
       .inputs = {{"input", normal({2})}, {"shift", 1}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"input", integers({2, 3}, 0, 9)}, {"shift", integers({2, 4}, 0, 5)}},
       .error = "E0203"},
  };
}
