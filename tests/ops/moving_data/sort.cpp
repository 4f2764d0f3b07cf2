// Rows of sort.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(sort) {
  return {
      {.name = "the last axis", .inputs = {{"input", distinct({3, 5})}}},
      {.name = "the first axis, descending",
       .inputs = {{"input", distinct({5, 3})}, {"axis", 0}, {"descending", true}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {3, 1, 2, 4, 6, 5})}},
       .expect = {{"values", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                  {"indices", tensor({2, 3}, {1, 2, 0, 0, 2, 1}).as(DType::int64)}}},
      {.name = "ints", .inputs = {{"input", integers({4, 6}, -3, 3)}}},
      {.name = "float32", .inputs = {{"input", distinct({5}).as(DType::float32)}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
  };
}
