// Rows of positions.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(positions) {
  return {
      {.name = "three axes",
       .inputs = {{"like", normal({2, 3, 4})}},
       .expect = {{"output", tensor({3}, {0, 1, 2}).as(DType::int64)}}},
      {.name = "two axes", .inputs = {{"like", normal({4, 2})}}},
      {.name = "one", .inputs = {{"like", normal({2, 1, 2})}}},
      {.name = "none", .inputs = {{"like", normal({2, 0, 2})}}},
      {.name = "ints", .inputs = {{"like", integers({2, 2}, 0, 9)}}},
      {.name = "no rows at all", .inputs = {{"like", normal({2})}}, .error = "E0201"},
  };
}
