// Rows of relu_grad.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(relu_grad) {
  return {
      {.name = "a matrix",
       .inputs = {{"grad", normal({3, 4})}, {"result", normal({3, 4}).away_from({0})}}},
      {.name = "rank 0", .inputs = {{"grad", normal({})}, {"result", normal({}).away_from({0})}}},
      {.name = "one element",
       .inputs = {{"grad", normal({1})}, {"result", normal({1}).away_from({0})}}},
      {.name = "no elements",
       .inputs = {{"grad", normal({0, 2})}, {"result", normal({0, 2}).away_from({0})}}},
      {.name = "float32",
       .inputs = {{"grad", normal({3}).as(DType::float32)},
                  {"result", normal({3}).away_from({0}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"grad", tensor({4}, {1, 2, 3, 4})}, {"result", tensor({4}, {0, 5, 0, NAN})}},
       .expect = {{"output", tensor({4}, {0, 2, 0, 4})}},
       .hold = {"result"}},
      {.name = "another size",
       .inputs = {{"grad", normal({2})}, {"result", normal({3})}},
       .error = "E0202"},
  };
}
