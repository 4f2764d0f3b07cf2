// Rows of transpose.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(transpose) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "all reversed", .inputs = {{"input", normal({2, 3, 4})}}},
      {.name = "in an order",
       .inputs = {{"input", normal({2, 3, 4, 5})}, {"axes", ints({2, 0, 3, 1})}}},
      {.name = "counted from the end",
       .inputs = {{"input", normal({2, 3, 4})}, {"axes", ints({0, -1, -2})}}},
      {.name = "an int, a vector", .inputs = {{"input", normal({3})}, {"axes", 0}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "sizes of 1", .inputs = {{"input", normal({1, 3, 1})}, {"axes", ints({1, 2, 0})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}}},
      {.name = "ints", .inputs = {{"input", integers({2, 3}, -9, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({2, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}},
       .expect = {{"output", tensor({3, 2}, {1, 4, 2, 5, 3, 6})}}},
      {.name = "axes do not fit the rank",
       .inputs = {{"input", normal({2, 3})}, {"axes", ints({0, 1, 2})}},
       .error = "E0402",
       .message = "the axes do not fit rank 2"},
      {.name = "an axis twice",
       .inputs = {{"input", normal({2, 3})}, {"axes", ints({0, 0})}},
       .error = "E0402",
       .message = "axis 0 is named twice"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axes", ints({0, 2})}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "an axis that is a float",
       .inputs = {{"input", normal({2, 3})}, {"axes", Tuple{0, 1.0}}},
       .error = "E0402",
       .message = "an axis is not an int"},
  };
}
