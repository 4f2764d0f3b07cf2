// Rows of det.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(det) {
  const TensorSpec matrix = tensor({3, 3}, {0, 2, -1, 3, 1, 0.5, -1, 0.5, 1.5});
  return {
      {.name = "three rows", .inputs = {{"input", matrix}}},
      {.name = "several", .inputs = {{"input", tensor({2, 2, 2}, {2, 1, 1, 3, 0, 1, -2, 1})}}},
      {.name = "one element", .inputs = {{"input", positive({1, 1})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 0})}}},
      {.name = "no matrices", .inputs = {{"input", normal({0, 2, 2})}}},
      {.name = "float32", .inputs = {{"input", matrix.as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2, 2}, {0, 2, 4, 1, 1, 2, 2, 4})}},
       .expect = {{"output", tensor({2}, {-8, 0})}},
       .hold = {"input"}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
  };
}
