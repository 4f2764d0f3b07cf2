// Rows of argsort.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(argsort) {
  return {
      {.name = "the last axis", .inputs = {{"input", distinct({3, 5})}}},
      {.name = "the first axis, descending",
       .inputs = {{"input", distinct({5, 3})}, {"axis", 0}, {"descending", true}}},
      {.name = "the first two of a middle axis",
       .inputs = {{"input", distinct({2, 4, 3})}, {"axis", 1}, {"count", 2}}},
      {.name = "equals by hand",
       .inputs = {{"input", tensor({6}, {2, 1, 2, 1, NAN, 0}).as(DType::float32)}},
       .expect = {{"output", tensor({6}, {5, 1, 3, 0, 2, 4}).as(DType::int64)}}},
      {.name = "equals by hand, descending",
       .inputs = {{"input", tensor({6}, {2, 1, 2, 1, NAN, 0})}, {"descending", true}},
       .expect = {{"output", tensor({6}, {4, 0, 2, 1, 3, 5}).as(DType::int64)}}},
      {.name = "ints", .inputs = {{"input", integers({4, 6}, -3, 3)}}},
      {.name = "ints of 32 bits",
       .inputs = {{"input", tensor({4}, {2, -1, 2, 7}).as(DType::int32)}},
       .expect = {{"output", tensor({4}, {1, 0, 2, 3}).as(DType::int32)}}},
      {.name = "bools", .inputs = {{"input", booleans({6})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "k above the size of the axis",
       .inputs = {{"input", normal({2, 3})}, {"count", 4}},
       .error = "E0402",
       .message = "there are fewer elements along the axis"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
  };
}
