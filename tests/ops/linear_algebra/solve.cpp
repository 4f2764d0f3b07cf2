// Rows of solve.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(solve) {
  const TensorSpec matrix = tensor({3, 3}, {0, 2, -1, 3, 1, 0.5, -1, 0.5, 1.5});
  return {
      {.name = "three rows", .inputs = {{"matrix", matrix}, {"right", normal({3, 2})}}},
      {.name = "several",
       .inputs = {{"matrix", tensor({2, 2, 2}, {2, 1, 1, 3, 0, 1, -2, 1})},
                  {"right", normal({2, 2, 1})}}},
      {.name = "one element", .inputs = {{"matrix", positive({1, 1})}, {"right", normal({1, 1})}}},
      {.name = "no columns", .inputs = {{"matrix", matrix}, {"right", normal({3, 0})}}},
      {.name = "no rows", .inputs = {{"matrix", normal({0, 0})}, {"right", normal({0, 2})}}},
      {.name = "float32",
       .inputs = {{"matrix", matrix.as(DType::float32)},
                  {"right", normal({3, 1}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"matrix", tensor({2, 2}, {0, 2, 4, 1})}, {"right", tensor({2, 1}, {6, 11})}},
       .expect = {{"output", tensor({2, 1}, {2, 3})}}},
      {.name = "a right side without an axis of rows",
       .inputs = {{"matrix", matrix}, {"right", normal({2, 2})}},
       .error = "E0202"},
      {.name = "no square",
       .inputs = {{"matrix", normal({2, 3})}, {"right", normal({2, 2})}},
       .error = "E0202"},
  };
}
