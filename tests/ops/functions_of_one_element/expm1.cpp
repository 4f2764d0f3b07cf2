// Rows of expm1.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(expm1) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({4, 5}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({5}, {0, 1, 1e-20, -INFINITY, INFINITY})}},
       .expect = {{"output", tensor({5}, {0, 1.718281828459045, 1e-20, -1, INFINITY})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
