// Rows of flatten.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(flatten) {
  return {
      {.name = "all axes", .inputs = {{"input", normal({2, 3, 4})}}},
      {.name = "all but the first", .inputs = {{"input", normal({2, 3, 4})}, {"start_dim", 1}}},
      {.name = "all but the last", .inputs = {{"input", normal({2, 3, 4})}, {"end_dim", 1}}},
      {.name = "the middle axes",
       .inputs = {{"input", normal({2, 3, 4, 5})}, {"start_dim", -3}, {"end_dim", -2}}},
      {.name = "one axis", .inputs = {{"input", normal({2, 3})}, {"start_dim", 1}, {"end_dim", 1}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3, 2})}, {"start_dim", 1}}},
      {.name = "in row-major order",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}},
       .expect = {{"output", tensor({4}, {1, 2, 3, 4})}}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"start_dim", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "the end before the start",
       .inputs = {{"input", normal({2, 3})}, {"start_dim", 1}, {"end_dim", 0}},
       .error = "E0402",
       .message = "start_dim is after end_dim"},
  };
}
