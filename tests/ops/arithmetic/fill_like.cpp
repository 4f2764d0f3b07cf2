// Rows of fill_like.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(fill_like) {
  return {
      {.name = "a float",
       .inputs = {{"like", normal({2, 3})}, {"number", 0.5}},
       .expect = {{"output", tensor({2, 3}, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5})}}},
      {.name = "an int",
       .inputs = {{"like", normal({2})}, {"number", 3}},
       .expect = {{"output", tensor({2}, {3, 3})}}},
      {.name = "in ints",
       .inputs = {{"like", integers({2}, 0, 9)}, {"number", 3}},
       .expect = {{"output", tensor({2}, {3, 3}).as(DType::int64)}}},
      {.name = "in bools",
       .inputs = {{"like", booleans({2})}, {"number", true}},
       .expect = {{"output", tensor({2}, {1, 1}).as(DType::boolean)}}},
      {.name = "rank 0", .inputs = {{"like", normal({})}, {"number", 0.5}}},
      {.name = "one element", .inputs = {{"like", normal({1})}, {"number", 0.5}}},
      {.name = "no elements", .inputs = {{"like", normal({0, 3})}, {"number", 0.5}}},
      {.name = "a number that is a tensor",
       .inputs = {{"like", normal({2})}, {"number", normal({})}},
       .error = "E0301"},
  };
}
