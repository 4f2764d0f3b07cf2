// Rows of gelu_grad.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(gelu_grad) {
  return {
      {.name = "a matrix", .inputs = {{"grad", normal({3, 4})}, {"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"grad", normal({})}, {"input", normal({})}}},
      {.name = "one element", .inputs = {{"grad", normal({1})}, {"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"grad", normal({0, 2})}, {"input", normal({0, 2})}}},
      {.name = "float32",
       .inputs = {{"grad", normal({3}).as(DType::float32)},
                  {"input", normal({3}).as(DType::float32)}}},
      {.name = "a gradient wider than the input",
       .inputs = {{"grad", normal({3, 4})}, {"input", normal({3, 4}).as(DType::float32)}}},
      {.name = "P(X <= x) and x times the density, values of a published table",
       .inputs = {{"grad", tensor({3}, {1, 1, 2})}, {"input", tensor({3}, {0, 1, -1})}},
       .expect = {{"output", tensor({3}, {0.5, 1.0833154705876864, -0.1666309411753728})}}},
      {.name = "tanh form",
       .inputs = {{"grad", normal({3, 4})}, {"input", normal({3, 4})}, {"approximate", true}}},
      {.name = "tanh form, far out",
       .inputs = {{"grad", tensor({3}, {3, 3, 3})},
                  {"input", tensor({3}, {0, 50, -50})},
                  {"approximate", true}},
       .expect = {{"output", tensor({3}, {1.5, 3, 0})}}},
      {.name = "another size",
       .inputs = {{"grad", normal({2})}, {"input", normal({3})}},
       .error = "E0202"},
  };
}
