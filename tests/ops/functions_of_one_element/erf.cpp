// Rows of erf.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(erf) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({4}, {0, 1, -2, INFINITY})}},
       .expect = {{"output", tensor({4}, {0, 0.8427007929497149, -0.9953222650189527, 1})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
