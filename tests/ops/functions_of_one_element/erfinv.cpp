// Rows of erfinv.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(erfinv) {
  return {
      {.name = "a matrix", .inputs = {{"input", uniform({3, 4}, -0.9, 0.9)}}},
      {.name = "rank 0", .inputs = {{"input", uniform({}, -0.9, 0.9)}}},
      {.name = "one element", .inputs = {{"input", uniform({1}, 0.4, 0.6)}}},
      {.name = "no elements", .inputs = {{"input", uniform({0, 2}, 0, 0.5)}}},
      {.name = "float32", .inputs = {{"input", uniform({3}, -0.9, 0.9).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 1)}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({6}, {0, 1e-20, -0.5, 0.8427007929497149, 1, -1})}},
       .expect = {{"output", tensor({6}, {0, 8.862269254527581e-21, -0.4769362762044699, 1,
                                          INFINITY, -INFINITY})}},
       .hold = {"input"}},
      {.name = "near 1",
       .inputs = {{"input", tensor({2}, {0.9999999999, -0.999999999999})}},
       .expect = {{"output", tensor({2}, {4.5728249585449249, -5.0420318985726961})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
