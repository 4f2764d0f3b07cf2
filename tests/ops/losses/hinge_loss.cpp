// Rows of hinge_loss.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(hinge_loss) {
  const TensorSpec sides = tensor({3}, {1, -1, 1});
  return {
      {.name = "two tensors",
       .inputs = {{"input", normal({2, 3}).away_from({-1, 1})},
                  {"target", tensor({2, 3}, {1, -1, 1, -1, -1, 1})}}},
      {.name = "a column and a row",
       .inputs = {{"input", normal({4, 1})}, {"target", normal({4})}},
       .error = "E0201",
       .message = "input and target need the same shape"},
      {.name = "a dim of 1",
       .inputs = {{"input", normal({4, 3})}, {"target", normal({4, 1})}},
       .error = "E0202",
       .message = "input and target need the same shape"},
      {.name = "one element",
       .inputs = {{"input", normal({1}).away_from({1})}, {"target", tensor({1}, {1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"target", normal({0, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {0.25, -0.5, 3})}, {"target", sides}},
       .expect = {{"output", tensor({3}, {0.75, 0.5, 0})}}},
      {.name = "ints as targets",
       .inputs = {{"input", normal({3}).away_from({-1, 1})}, {"target", sides.as(DType::int64)}}},
      {.name = "two ints",
       .inputs = {{"input", tensor({3}, {2, 1, 0}).as(DType::int64)},
                  {"target", sides.as(DType::int64)}},
       .expect = {{"output", tensor({3}, {0, 2, 1})}}},
      {.name = "float32",
       .inputs = {{"input", normal({3}).away_from({-1, 1}).as(DType::float32)},
                  {"target", sides.as(DType::float32)}}},
      {.name = "other dims",
       .inputs = {{"input", normal({2, 3})}, {"target", normal({2, 4})}},
       .error = "E0202"},
  };
}
