// Rows of stop_gradient; that no gradient passes is tested in tests/ops.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(stop_gradient) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}, .hold = {"input"}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}, .hold = {"input"}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}, .hold = {"input"}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({2}).as(DType::float32)}}, .hold = {"input"}},
      {.name = "as it is",
       .inputs = {{"input", tensor({2}, {1, -3})}},
       .expect = {{"output", tensor({2}, {1, -3})}},
       .hold = {"input"}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}}},
      {.name = "a number is not a tensor", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
