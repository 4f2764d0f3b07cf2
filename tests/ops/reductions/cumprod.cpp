// Rows of cumprod.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cumprod) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({2, 5})}}},
      {.name = "the first axis", .inputs = {{"input", normal({4, 3})}, {"axis", 0}}},
      {.name = "a middle axis, reversed",
       .inputs = {{"input", normal({2, 3, 4})}, {"axis", 1}, {"reverse", true}}},
      {.name = "exclusive", .inputs = {{"input", normal({2, 4})}, {"exclusive", true}}},
      {.name = "exclusive, reversed, along the first axis",
       .inputs = {{"input", normal({4, 2})}, {"axis", 0}, {"reverse", true}, {"exclusive", true}}},
      {.name = "zeros by hand",
       .inputs = {{"input", tensor({5}, {2, 3, 0, 4, 0})}},
       .expect = {{"output", tensor({5}, {2, 6, 0, 0, 0})}}},
      {.name = "exclusive and reversed by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})},
                  {"axis", 0},
                  {"reverse", true},
                  {"exclusive", true}},
       .expect = {{"output", tensor({2, 2}, {3, 4, 1, 1})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 3})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "float32", .inputs = {{"input", normal({4, 5}).as(DType::float32)}, {"axis", 0}}},
      {.name = "exclusive of rank 0", .inputs = {{"input", normal({})}, {"exclusive", true}}},
      {.name = "ints",
       .inputs = {{"input", integers({3, 4}, -3, 4).as(DType::int32)}, {"axis", 1}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "bools", .inputs = {{"input", booleans({2, 3})}}, .error = "E0301"},
  };
}
