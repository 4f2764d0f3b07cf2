// Rows of logcumsumexp.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(logcumsumexp) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({2, 5})}}},
      {.name = "the first axis", .inputs = {{"input", normal({4, 3})}, {"axis", 0}}},
      {.name = "a middle axis", .inputs = {{"input", normal({2, 3, 4})}, {"axis", 1}}},
      {.name = "large numbers by hand",
       .inputs = {{"input", tensor({4}, {-1000, -1000, 1000, 1000})}},
       .expect = {{"output", tensor({4}, {-1000, -999.3068528194401, 1000, 1000.6931471805599})}}},
      {.name = "zeros of exp",
       .inputs = {{"input", tensor({4}, {-INFINITY, -INFINITY, 0, -INFINITY})}},
       .expect = {{"output", tensor({4}, {-INFINITY, -INFINITY, 0, 0})}},
       .hold = {"input"}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 3})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "float32", .inputs = {{"input", normal({4, 5}).as(DType::float32)}, {"axis", 0}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 4)}}, .error = "E0301"},
  };
}
