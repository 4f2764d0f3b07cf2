// Rows of cumsum.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cumsum) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({2, 5})}}},
      {.name = "the first axis", .inputs = {{"input", normal({4, 3})}, {"axis", 0}}},
      {.name = "a middle axis, reversed",
       .inputs = {{"input", normal({2, 3, 4})}, {"axis", 1}, {"reverse", true}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}},
       .expect = {{"output", tensor({2, 3}, {1, 3, 6, 4, 9, 15})}}},
      {.name = "by hand, reversed along the first axis",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"axis", 0}, {"reverse", true}},
       .expect = {{"output", tensor({2, 2}, {4, 6, 3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 3})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "float32", .inputs = {{"input", normal({4, 5}).as(DType::float32)}, {"axis", 0}}},
      {.name = "ints", .inputs = {{"input", integers({3, 4}, -9, 10)}, {"axis", 1}}},
      {.name = "ints that overflow wrap",
       .inputs = {{"input",
                   tensor({2}, {9223372036854774784, 9223372036854774784}).as(DType::int64)}},
       .expect = {{"output", tensor({2}, {9223372036854774784, -2048}).as(DType::int64)}}},
      {.name = "NaN reaches only the elements after it",
       .inputs = {{"input", tensor({4}, {1, NAN, 2, 3})}},
       .expect = {{"output", tensor({4}, {1, NAN, NAN, NAN})}},
       .hold = {"input"}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "bools", .inputs = {{"input", booleans({2, 3})}}, .error = "E0301"},
  };
}
