// Rows of mean.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(mean) {
  return {
      {.name = "all", .inputs = {{"input", normal({2, 3})}}},
      {.name = "the last axis", .inputs = {{"input", normal({2, 3})}, {"axis", -1}}},
      {.name = "the first axis, kept",
       .inputs = {{"input", normal({2, 3})}, {"axis", 0}, {"keepdim", true}}},
      {.name = "all, kept", .inputs = {{"input", normal({2, 3})}, {"keepdim", true}}},
      {.name = "two axes", .inputs = {{"input", normal({2, 3, 4})}, {"axis", ints({0, -1})}}},
      {.name = "two axes, kept",
       .inputs = {{"input", normal({2, 3, 4})}, {"axis", ints({2, 1})}, {"keepdim", true}}},
      {.name = "no axis", .inputs = {{"input", normal({2, 3})}, {"axis", ints({})}}},
      {.name = "of rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}, {"axis", 1}}},
      {.name = "nothing to reduce, nothing to give",
       .inputs = {{"input", normal({0, 3})}, {"axis", 1}}},
      {.name = "ints", .inputs = {{"input", integers({3, 4}, -9, 10)}, {"axis", 1}}},
      {.name = "bools", .inputs = {{"input", booleans({3, 4})}, {"axis", 0}}},
      {.name = "float32", .inputs = {{"input", normal({4, 5}).as(DType::float32)}, {"axis", 0}}},
      {.name = "no elements have no mean",
       .inputs = {{"input", normal({0, 2})}, {"axis", 0}},
       .expect = {{"output", tensor({2}, {NAN, NAN})}}},
      {.name = "as a hand divides",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 5})}, {"axis", 1}},
       .expect = {{"output", tensor({2}, {1.5, 4})}}},
      {.name = "of ints a float",
       .inputs = {{"input", tensor({2}, {1, 2}).as(DType::int64)}},
       .expect = {{"output", tensor({}, {1.5})}},
       .only_float64 = "a float of no width of its own"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2"},
      {.name = "an axis of rank 0",
       .inputs = {{"input", normal({})}, {"axis", 0}},
       .error = "E0402"},
      {.name = "an axis twice",
       .inputs = {{"input", normal({2, 3})}, {"axis", ints({1, -1})}},
       .error = "E0402",
       .message = "twice"},
      {.name = "an axis that is a float",
       .inputs = {{"input", normal({2, 3})}, {"axis", 1.0}},
       .error = "E0301"},
  };
}
