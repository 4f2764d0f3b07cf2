// Rows of polynomial_features.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(polynomial_features) {
  return {
      {.name = "squares", .inputs = {{"input", normal({4, 3})}, {"degree", 2}}},
      {.name = "cubes", .inputs = {{"input", normal({2, 2})}, {"degree", 3}}},
      {.name = "one column", .inputs = {{"input", normal({3, 1})}, {"degree", 4}}},
      {.name = "the columns themselves",
       .inputs = {{"input", tensor({1, 3}, {5, 6, 7})}, {"degree", 1}},
       .expect = {{"output", tensor({1, 3}, {5, 6, 7})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {2, 3, 0, 1})}, {"degree", 2}},
       .expect = {{"output", tensor({2, 5}, {2, 3, 4, 6, 9, 0, 1, 0, 0, 1})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 2})}, {"degree", 2}}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 5)}, {"degree", 2}}},
      {.name = "float32", .inputs = {{"input", normal({2, 2}).as(DType::float32)}, {"degree", 2}}},
      {.name = "the degree 0",
       .inputs = {{"input", normal({2, 2})}, {"degree", 0}},
       .error = "E0402",
       .message = "the degree is too low"},
      {.name = "no matrix", .inputs = {{"input", normal({2})}, {"degree", 2}}, .error = "E0201"},
  };
}
