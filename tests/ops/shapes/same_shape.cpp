// Rows of same_shape.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(same_shape) {
  return {
      {.name = "two tensors", .inputs = {{"input", normal({3, 4})}, {"like", normal({3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({})}, {"like", normal({})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"like", normal({0, 3})}}},
      {.name = "ints like floats",
       .inputs = {{"input", integers({4}, 0, 9)}, {"like", normal({4})}}},
      {.name = "bools like ints",
       .inputs = {{"input", booleans({4})}, {"like", integers({4}, 0, 9)}}},
      {.name = "the elements themselves",
       .inputs = {{"input", tensor({2}, {1, 2})}, {"like", normal({2})}},
       .expect = {{"output", tensor({2}, {1, 2})}}},
      {.name = "another rank",
       .inputs = {{"input", normal({4})}, {"like", normal({4, 1})}},
       .error = "E0201",
       .message = "input and like need the same shape"},
      {.name = "another size",
       .inputs = {{"input", normal({4, 3})}, {"like", normal({4, 1})}},
       .error = "E0202"},
  };
}
