// Rows of gelu.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(gelu) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({4}, {0, 1, -2, 2})}},
       .expect = {{"output", tensor({4}, {0, 0.8413447460685429, -0.04550026389635842,
                                          1.9544997361036416})}}},
      {.name = "tanh form", .inputs = {{"input", normal({3, 4})}, {"approximate", true}}},
      {.name = "tanh form, far out",
       .inputs = {{"input", tensor({3}, {0, 50, -50})}, {"approximate", true}},
       .expect = {{"output", tensor({3}, {0, 50, 0})}}},
      {.name = "approximate is not a string",
       .inputs = {{"input", normal({2})}, {"approximate", "tanh"}},
       .error = "E0301"},
  };
}
