// Rows of take_along_axis.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(take_along_axis) {
  return {
      {.name = "the last axis",
       .inputs = {{"input", normal({3, 5})}, {"index", integers({3, 4}, 0, 5)}}},
      {.name = "the first axis, from the end",
       .inputs = {{"input", normal({5, 3})}, {"index", integers({7, 3}, -5, 5)}, {"axis", 0}}},
      {.name = "an index that is shorter along other axes",
       .inputs = {{"input", normal({4, 5, 3})},
                  {"index", integers({2, 6, 3}, 0, 5)},
                  {"axis", -2}}},
      {.name = "one element",
       .inputs = {{"input", normal({1})}, {"index", tensor({1}, {0}).as(DType::int64)}}},
      {.name = "no indices",
       .inputs = {{"input", normal({5, 3})}, {"index", integers({5, 0}, 0, 3)}}},
      {.name = "int32 indices, float32",
       .inputs = {{"input", normal({5}).as(DType::float32)},
                  {"index", integers({3}, 0, 5).as(DType::int32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 9)}, {"index", integers({3}, 0, 5)}}},
      {.name = "bools", .inputs = {{"input", booleans({5})}, {"index", integers({3}, 0, 5)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                  {"index", tensor({2, 2}, {2, 0, -3, -1}).as(DType::int64)}},
       .expect = {{"output", tensor({2, 2}, {3, 1, 4, 6})}}},
      {.name = "an index out of range",
       .inputs = {{"input", normal({2, 3})}, {"index", tensor({2, 1}, {0, 3}).as(DType::int64)}},
       .error = "E0402",
       .message = "index 3 is out of range for size 3"},
      {.name = "an index that is longer along another axis",
       .inputs = {{"input", normal({2, 3})}, {"index", integers({3, 3}, 0, 3)}},
       .error = "E0206",
       .message = "the index is longer than the input along axis 0"},
      {.name = "an index of another rank",
       .inputs = {{"input", normal({2, 3})}, {"index", integers({2}, 0, 3)}},
       .error = "E0206"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"index", integers({2, 3}, 0, 3)}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
