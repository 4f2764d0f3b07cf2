// Rows of eigvalsh.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(eigvalsh) {
  const TensorSpec some = tensor({2, 2}, {2, 0.5, 0.5, 3}), root = tensor({2, 2}, {1, 0, 2, 3});
  return {
      {.name = "without a factor", .inputs = {{"K_term", some}}},
      {.name = "with a factor its diagonal",
       .inputs = {{"K_term", some}, {"L", root}},
       .expect = {{"output", tensor({2, 1}, {1, 3})}}},
      {.name = "eigenvalues are clamped to the threshold",
       .inputs = {{"K_term", tensor({2, 2}, {2, 1, 1, 2})}, {"threshold", 1.5}},
       .expect = {{"output", tensor({2, 1}, {1.5, 3})}}},
      {.name = "eigenvalues are clamped to the spacing of floats",
       .inputs = {{"K_term", tensor({2, 2}, {1, 0, 0, -1})}},
       .expect = {{"output", tensor({2, 1}, {0, 1})}}},
      {.name = "one element", .inputs = {{"K_term", positive({1, 1})}}},
      {.name = "no elements", .inputs = {{"K_term", normal({0, 0})}}},
      {.name = "float32", .inputs = {{"K_term", some.as(DType::float32)}}},
      {.name = "no square", .inputs = {{"K_term", normal({2, 3})}}, .error = "E0202"},
  };
}
