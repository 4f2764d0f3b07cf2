// Rows of kl_divergence.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(kl_divergence) {
  const TensorSpec some = uniform({3, 4}, 0.1, 0.9);
  return {
      {.name = "two tensors", .inputs = {{"input", some}, {"target", some}}},
      {.name = "a column and a row",
       .inputs = {{"input", normal({4, 1})}, {"target", normal({4})}},
       .error = "E0201",
       .message = "input and target need the same shape"},
      {.name = "a dim of 1",
       .inputs = {{"input", normal({4, 3})}, {"target", normal({4, 1})}},
       .error = "E0202",
       .message = "input and target need the same shape"},
      {.name = "one element",
       .inputs = {{"input", tensor({1}, {0.5})}, {"target", tensor({1}, {1})}},
       .expect = {{"output", tensor({1}, {0.6931471805599453})}}},
      {.name = "no elements",
       .inputs = {{"input", uniform({0, 4}, 0, 1)}, {"target", uniform({0, 4}, 0, 1)}}},
      {.name = "targets of probability 0 add no loss",
       .inputs = {{"input", tensor({2}, {0, 0.5})}, {"target", tensor({2}, {0, 0.5})}},
       .expect = {{"output", tensor({2}, {0, 0})}},
       .hold = {"input", "target"}},
      {.name = "below the threshold the logarithm is a line",
       .inputs = {{"input", tensor({1}, {0.25})},
                  {"target", tensor({1}, {0.5})},
                  {"threshold", 0.375}},
       .expect = {{"output", tensor({1}, {0.3105077028925572})}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 1, 5)}, {"target", integers({3}, 1, 5)}}},
      {.name = "float32",
       .inputs = {{"input", some.as(DType::float32)}, {"target", some.as(DType::float32)}}},
      {.name = "other dims",
       .inputs = {{"input", some}, {"target", uniform({3, 3}, 0, 1)}},
       .error = "E0202"},
  };
}
