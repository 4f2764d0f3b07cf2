// Rows of tril.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(tril) {
  return {
      {.name = "a square",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}},
       .expect = {{"output", tensor({2, 2}, {1, 0, 3, 4})}}},
      {.name = "wide", .inputs = {{"input", normal({2, 4})}}},
      {.name = "tall", .inputs = {{"input", normal({4, 2})}}},
      {.name = "several", .inputs = {{"input", normal({2, 3, 3})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({2, 2}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 1, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({2, 2})}}},
      {.name = "no matrix", .inputs = {{"input", normal({2})}}, .error = "E0201"},
  };
}
