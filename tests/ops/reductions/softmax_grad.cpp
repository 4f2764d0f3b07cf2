// Rows of softmax_grad.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(softmax_grad) {
  return {
      {.name = "the last axis", .inputs = {{"grad", normal({2, 3})}, {"result", positive({2, 3})}}},
      {.name = "the first axis",
       .inputs = {{"grad", normal({2, 3})}, {"result", positive({2, 3})}, {"axis", 0}}},
      {.name = "a middle axis",
       .inputs = {{"grad", normal({2, 3, 4})}, {"result", positive({2, 3, 4})}, {"axis", 1}}},
      {.name = "rank 0", .inputs = {{"grad", normal({})}, {"result", positive({})}}},
      {.name = "one element", .inputs = {{"grad", normal({1, 1})}, {"result", positive({1, 1})}}},
      {.name = "an axis without elements",
       .inputs = {{"grad", normal({2, 0})}, {"result", positive({2, 0})}}},
      {.name = "no rows", .inputs = {{"grad", normal({0, 3})}, {"result", positive({0, 3})}}},
      {.name = "float32",
       .inputs = {{"grad", normal({2, 3}).as(DType::float32)},
                  {"result", positive({2, 3}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"grad", tensor({1, 2}, {1, 3})}, {"result", tensor({1, 2}, {0.25, 0.75})}},
       .expect = {{"output", tensor({1, 2}, {-0.375, 0.375})}}},
      {.name = "an axis out of range",
       .inputs = {{"grad", normal({2, 3})}, {"result", positive({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2"},
      {.name = "another size",
       .inputs = {{"grad", normal({2, 3})}, {"result", positive({2, 4})}},
       .error = "E0202"},
  };
}
