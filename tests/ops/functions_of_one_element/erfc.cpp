// Rows of erfc.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(erfc) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({5}, {0, 1, -2, 5, INFINITY})}},
       .expect = {{"output", tensor({5}, {1, 0.15729920705028513, 1.9953222650189527,
                                          1.5374597944280349e-12, 0})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
