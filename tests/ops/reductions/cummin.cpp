// Rows of cummin.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cummin) {
  return {
      {.name = "the last axis", .inputs = {{"input", distinct({2, 5})}}},
      {.name = "the first axis", .inputs = {{"input", distinct({4, 3})}, {"axis", 0}}},
      {.name = "the last index of equal elements",
       .inputs = {{"input", tensor({2, 4}, {3, 1, 1, 2, -1, -1, 0, -1})}},
       .expect = {{"values", tensor({2, 4}, {3, 1, 1, 1, -1, -1, -1, -1})},
                  {"indices", tensor({2, 4}, {0, 1, 2, 2, 0, 1, 1, 3}).as(DType::int64)}},
       .hold = {"input"}},
      {.name = "NaN stays",
       .inputs = {{"input", tensor({5}, {2, NAN, -INFINITY, NAN, 1})}},
       .expect = {{"values", tensor({5}, {2, NAN, NAN, NAN, NAN})},
                  {"indices", tensor({5}, {0, 1, 1, 3, 3}).as(DType::int64)}},
       .hold = {"input"}},
      {.name = "ints", .inputs = {{"input", integers({3, 4}, -3, 4)}, {"axis", 1}}},
      {.name = "bools", .inputs = {{"input", booleans({3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "rank 0",
       .inputs = {{"input", normal({})}},
       .error = "E0402",
       .message = "axis -1 is out of range for rank 0"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", -3}},
       .error = "E0402",
       .message = "axis -3 is out of range for rank 2"},
  };
}
