// Rows of quantile_loss.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(quantile_loss) {
  const TensorSpec low = uniform({2, 3}, 0, 0.9), high = uniform({2, 3}, 1, 2);
  return {
      {.name = "too low", .inputs = {{"input", low}, {"target", high}}},
      {.name = "too high", .inputs = {{"input", high}, {"target", low}, {"quantile", 0.9}}},
      {.name = "a column and a row",
       .inputs = {{"input", normal({4, 1})}, {"target", normal({4})}},
       .error = "E0201",
       .message = "input and target need the same shape"},
      {.name = "a dim of 1",
       .inputs = {{"input", normal({4, 3})}, {"target", normal({4, 1})}},
       .error = "E0202",
       .message = "input and target need the same shape"},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"target", normal({0, 3})}}},
      {.name = "one element",
       .inputs = {{"input", tensor({1}, {1})}, {"target", tensor({1}, {3})}, {"quantile", 0.25}},
       .expect = {{"output", tensor({1}, {0.5})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {1, 1, 1})},
                  {"target", tensor({3}, {0, 1, 5})},
                  {"quantile", 0.75}},
       .expect = {{"output", tensor({3}, {0.25, 0, 3})}},
       .hold = {"input", "target"}},
      {.name = "a quantile that is computed",
       .inputs = {{"input", low}, {"target", high}, {"quantile", uniform({}, 0.2, 0.8)}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 4)}, {"target", integers({3}, 5, 9)}}},
      {.name = "float32",
       .inputs = {{"input", low.as(DType::float32)}, {"target", high.as(DType::float32)}}},
      {.name = "several quantiles",
       .inputs = {{"input", low}, {"target", high}, {"quantile", normal({3})}},
       .error = "E0201"},
      {.name = "other dims",
       .inputs = {{"input", normal({2, 3})}, {"target", normal({2, 4})}},
       .error = "E0202"},
  };
}
