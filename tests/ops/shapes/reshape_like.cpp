// Rows of reshape_like.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(reshape_like) {
  return {
      {.name = "other axes", .inputs = {{"input", normal({2, 6})}, {"like", normal({3, 4})}}},
      {.name = "more axes", .inputs = {{"input", normal({12})}, {"like", normal({2, 3, 2})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"like", normal({})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"like", normal({2, 0})}}},
      {.name = "like ints", .inputs = {{"input", normal({4})}, {"like", integers({2, 2}, 0, 9)}}},
      {.name = "ints", .inputs = {{"input", integers({4}, 0, 9)}, {"like", normal({2, 2})}}},
      {.name = "in row-major order",
       .inputs = {{"input", tensor({4}, {1, 2, 3, 4})}, {"like", normal({2, 2})}},
       .expect = {{"output", tensor({2, 2}, {1, 2, 3, 4})}}},
      {.name = "another number of elements",
       .inputs = {{"input", normal({2, 3})}, {"like", normal({2, 2})}},
       .error = "E0206",
       .message = "cannot reshape [2, 3] to [2, 2]"},
  };
}
