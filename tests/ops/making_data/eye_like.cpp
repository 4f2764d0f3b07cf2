// Rows of eye_like.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(eye_like) {
  return {
      {.name = "a square",
       .inputs = {{"like", normal({2, 2})}},
       .expect = {{"output", tensor({2, 2}, {1, 0, 0, 1})}}},
      {.name = "wide",
       .inputs = {{"like", normal({2, 3})}},
       .expect = {{"output", tensor({2, 3}, {1, 0, 0, 0, 1, 0})}}},
      {.name = "tall", .inputs = {{"like", normal({3, 1})}}},
      {.name = "one element", .inputs = {{"like", normal({1, 1})}}},
      {.name = "no rows", .inputs = {{"like", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"like", normal({2, 2}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"like", integers({2, 2}, 0, 9)}}},
      {.name = "no matrix", .inputs = {{"like", normal({2})}}, .error = "E0201"},
  };
}
