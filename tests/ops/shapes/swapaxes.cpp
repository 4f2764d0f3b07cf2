// Rows of swapaxes.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(swapaxes) {
  return {
      {.name = "the first two", .inputs = {{"input", normal({2, 3, 4})}}},
      {.name = "the last two",
       .inputs = {{"input", normal({2, 3, 4})}, {"axis1", -1}, {"axis2", -2}}},
      {.name = "the first and the last", .inputs = {{"input", normal({2, 3, 4})}, {"axis2", 2}}},
      {.name = "an axis with itself",
       .inputs = {{"input", normal({2, 3})}, {"axis1", 1}, {"axis2", -1}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}}},
      {.name = "ints", .inputs = {{"input", integers({2, 3}, 0, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}},
       .expect = {{"output", tensor({2, 2}, {1, 3, 2, 4})}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis2", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
