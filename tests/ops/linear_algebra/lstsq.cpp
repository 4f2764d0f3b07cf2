// Rows of lstsq.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(lstsq) {
  const TensorSpec tall = tensor({3, 2}, {1, 2, -1, 0.5, 2, -1});
  return {
      {.name = "tall", .inputs = {{"matrix", tall}, {"right", normal({3, 2})}}},
      {.name = "wide",
       .inputs = {{"matrix", tensor({2, 3}, {1, 2, -1, 0.5, 2, -3})}, {"right", normal({2, 1})}}},
      {.name = "several",
       .inputs = {{"matrix", tensor({2, 2, 2}, {2, 1, 1, 3, 0.25, 1, -2, 1})},
                  {"right", normal({2, 2, 3})}}},
      {.name = "one element",
       .inputs = {{"matrix", tensor({1, 1}, {-2})}, {"right", normal({1, 1})}}},
      {.name = "no equations",
       .inputs = {{"matrix", normal({0, 2})}, {"right", normal({0, 3})}},
       .expect = {{"output", tensor({2, 3}, {0, 0, 0, 0, 0, 0})}}},
      {.name = "float32",
       .inputs = {{"matrix", tall.as(DType::float32)},
                  {"right", normal({3, 2}).as(DType::float32)}}},
      {.name = "a line through three points",
       .inputs = {{"matrix", tensor({3, 2}, {0, 1, 1, 1, 2, 1})},
                  {"right", tensor({3, 1}, {1, 3, 8})}},
       .expect = {{"output", tensor({2, 1}, {3.5, 0.5})}}},
      {.name = "dependent columns share",
       .inputs = {{"matrix", tensor({2, 2}, {1, 1, 1, 1})}, {"right", tensor({2, 1}, {1, 3})}},
       .expect = {{"output", tensor({2, 1}, {1, 1})}},
       .hold = {"matrix"}},
      {.name = "a threshold",
       .inputs = {{"matrix", tensor({2, 2}, {4, 0, 0, 0.25})},
                  {"right", tensor({2, 1}, {1, 1})},
                  {"rcond", 0.1}},
       .expect = {{"output", tensor({2, 1}, {0.25, 0})}},
       .hold = {"matrix"}},
      {.name = "sides of other sizes",
       .inputs = {{"matrix", normal({3, 2})}, {"right", normal({2, 1})}},
       .error = "E0202"},
      {.name = "ints",
       .inputs = {{"matrix", integers({2, 2}, 0, 9)}, {"right", normal({2, 2})}},
       .error = "E0301"},
  };
}
