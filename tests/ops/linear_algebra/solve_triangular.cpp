// Rows of solve_triangular.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(solve_triangular) {
  const TensorSpec lower = tensor({3, 3}, {2, 9, 9, 1, 3, 9, -1, 0.5, 1.5});
  return {
      {.name = "a lower triangle", .inputs = {{"matrix", lower}, {"right", normal({3, 2})}}},
      {.name = "an upper triangle",
       .inputs = {{"matrix", lower}, {"right", normal({3, 2})}, {"upper", true}}},
      {.name = "several",
       .inputs = {{"matrix", tensor({2, 2, 2}, {2, 0, 1, 3, 1, 0, -2, 1})},
                  {"right", normal({2, 2, 1})}}},
      {.name = "one element", .inputs = {{"matrix", positive({1, 1})}, {"right", normal({1, 1})}}},
      {.name = "no columns", .inputs = {{"matrix", lower}, {"right", normal({3, 0})}}},
      {.name = "float32",
       .inputs = {{"matrix", lower.as(DType::float32)},
                  {"right", normal({3, 1}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"matrix", tensor({2, 2}, {2, 7, 1, 4})}, {"right", tensor({2, 1}, {6, 11})}},
       .expect = {{"output", tensor({2, 1}, {3, 2})}}},
      {.name = "a right side without an axis of rows",
       .inputs = {{"matrix", lower}, {"right", normal({2, 2})}},
       .error = "E0202"},
  };
}
