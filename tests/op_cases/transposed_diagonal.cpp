// Rows of transposed_diagonal.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(transposed_diagonal) {
  return {
      {.name = "a square", .inputs = {{"input", normal({3, 3})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 0})}}},
      {.name = "float32", .inputs = {{"input", normal({2, 2}).as(DType::float32)}}},
      {.name = "as a hand picks",
       .inputs = {{"input", tensor({2, 2}, {1, NAN, NAN, 4})}},
       .expect = {{"output", tensor({2, 1}, {1, 4})}},
       .hold = {"input"}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
  };
}
