// Rows of cholesky.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cholesky) {
  const TensorSpec definite = tensor({3, 3}, {4, 1, 0.5, 1, 5, -1, 0.5, -1, 6});
  return {
      {.name = "three rows", .inputs = {{"input", definite}}},
      {.name = "several",
       .inputs = {{"input", tensor({2, 2, 2}, {2, 0.5, 0.5, 3, 1, -0.25, -0.25, 4})}}},
      {.name = "one element", .inputs = {{"input", tensor({1, 1}, {2.25})}}},
      {.name = "no elements", .inputs = {{"input", tensor({0, 0}, {})}}},
      {.name = "float32", .inputs = {{"input", definite.as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {4, 2, 2, 10})}},
       .expect = {{"output", tensor({2, 2}, {2, 0, 1, 3})}}},
      {.name = "the symmetric part of a matrix that is not symmetric",
       .inputs = {{"input", tensor({2, 2}, {4, 3, 1, 10})}},
       .expect = {{"output", tensor({2, 2}, {2, 0, 1, 3})}}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
  };
}
