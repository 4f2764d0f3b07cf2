// Rows of eigenvalues.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(eigenvalues) {
  const TensorSpec some = tensor({3, 3}, {4, 1, 0.5, 1, 1, -1, 0.5, -1, -3});
  return {
      {.name = "three rows", .inputs = {{"input", some}}},
      {.name = "the symmetric part of any matrix",
       .inputs = {{"input", tensor({2, 2}, {2, 1.5, 0.5, 2})}},
       .expect = {{"output", tensor({2}, {1, 3})}}},
      {.name = "several",
       .inputs = {{"input", tensor({2, 2, 2}, {2, 0.5, 0.5, 3, 1, -0.25, -0.25, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 0})}}},
      {.name = "float32", .inputs = {{"input", some.as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {2, 1, 1, 2})}},
       .expect = {{"output", tensor({2}, {1, 3})}}},
      {.name = "a diagonal",
       .inputs = {{"input", tensor({3, 3}, {3, 0, 0, 0, -1, 0, 0, 0, 2})}},
       .expect = {{"output", tensor({3}, {-1, 2, 3})}}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
  };
}
