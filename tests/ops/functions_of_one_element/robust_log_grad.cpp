// Rows of robust_log_grad.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(robust_log_grad) {
  const TensorSpec some = tensor({2, 3}, {1.5, -2, 0.05, -0.05, 0.3, -0.2});
  return {
      {.name = "a matrix", .inputs = {{"grad", some}, {"input", some}, {"threshold", 0.1}}},
      {.name = "one element",
       .inputs = {{"grad", normal({1})}, {"input", positive({1})}, {"threshold", 0.1}}},
      {.name = "no elements",
       .inputs = {{"grad", normal({0, 2})}, {"input", normal({0, 2})}, {"threshold", 0.1}}},
      {.name = "float32",
       .inputs = {{"grad", normal({2}).as(DType::float32)},
                  {"input", positive({2}).as(DType::float32)},
                  {"threshold", 0.1}}},
      {.name = "worked out by hand",
       .inputs = {{"grad", tensor({4}, {1, 1, 1, 3})},
                  {"input", tensor({4}, {2, -2, 0.125, -0.125})},
                  {"threshold", 0.5}},
       .expect = {{"output", tensor({4}, {0.5, -0.5, 2, -6})}}},
      {.name = "a threshold that is not a number",
       .inputs = {{"grad", normal({2})}, {"input", normal({2})}, {"threshold", "small"}},
       .error = "E0301"},
  };
}
