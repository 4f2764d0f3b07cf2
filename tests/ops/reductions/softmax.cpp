// Rows of softmax.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(softmax) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({2, 3})}}},
      {.name = "the first axis", .inputs = {{"input", normal({2, 3})}, {"axis", 0}}},
      {.name = "a middle axis", .inputs = {{"input", normal({2, 3, 4})}, {"axis", 1}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 3})}}},
      {.name = "ints", .inputs = {{"input", integers({2, 3}, -3, 4)}}},
      {.name = "float32", .inputs = {{"input", normal({2, 3}).as(DType::float32)}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({1, 3}, {0.1, 0, 0})}},
       .expect = {{"output",
                   tensor({1, 3}, {0.3559130712072203, 0.3220434643963898, 0.3220434643963898})}}},
      {.name = "large numbers do not overflow",
       .inputs = {{"input", tensor({2, 2}, {1000, 1000, -1000, 0})}},
       .expect = {{"output", tensor({2, 2}, {0.5, 0.5, 0, 1})}}},
      {.name = "minus infinity is 0, NaN is all NaN",
       .inputs = {{"input", tensor({2, 2}, {-INFINITY, 3, NAN, 3})}},
       .expect = {{"output", tensor({2, 2}, {0, 1, NAN, NAN})}},
       .hold = {"input"}},
      {.name = "all elements are minus infinity",
       .inputs = {{"input", tensor({2}, {-INFINITY, -INFINITY})}},
       .expect = {{"output", tensor({2}, {NAN, NAN})}},
       .hold = {"input"}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2"},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "along axis 0 of rank 0", .inputs = {{"input", normal({})}, {"axis", 0}}},
      {.name = "rank 0, in float32", .inputs = {{"input", normal({}).as(DType::float32)}}},
      {.name = "rank 0, an axis out of range",
       .inputs = {{"input", normal({})}, {"axis", -2}},
       .error = "E0402",
       .message = "axis -2 is out of range for rank 0"},
      {.name = "bools", .inputs = {{"input", booleans({2, 3})}}, .error = "E0301"},
  };
}
