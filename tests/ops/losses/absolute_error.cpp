// Rows of absolute_error.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(absolute_error) {
  return {
      {.name = "two tensors",
       .inputs = {{"input", distinct({3, 4})}, {"target", distinct({3, 4})}}},
      {.name = "a column and a row",
       .inputs = {{"input", normal({4, 1})}, {"target", normal({4})}},
       .error = "E0201",
       .message = "input and target need the same shape"},
      {.name = "a dim of 1",
       .inputs = {{"input", normal({4, 3})}, {"target", normal({4, 1})}},
       .error = "E0202",
       .message = "input and target need the same shape"},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"target", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"target", normal({0, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2}, {1, -3})}, {"target", tensor({2}, {4, -1})}},
       .expect = {{"output", tensor({2}, {3, 2})}}},
      {.name = "ints as targets",
       .inputs = {{"input", normal({3})}, {"target", integers({3}, 5, 9)}}},
      {.name = "bools as targets",
       .inputs = {{"input", normal({3}).away_from({0, 1})}, {"target", booleans({3})}}},
      {.name = "two ints",
       .inputs = {{"input", integers({3}, 0, 9)}, {"target", integers({3}, 0, 9)}}},
      {.name = "float32 and float64",
       .inputs = {{"input", normal({3}).as(DType::float32)}, {"target", normal({3})}}},
      {.name = "two bools",
       .inputs = {{"input", booleans({2})}, {"target", booleans({2})}},
       .error = "E0301"},
      {.name = "other dims",
       .inputs = {{"input", normal({2, 3})}, {"target", normal({2, 4})}},
       .error = "E0202"},
  };
}
