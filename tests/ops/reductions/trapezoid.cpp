// Rows of trapezoid.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(trapezoid) {
  return {
      {.name = "two vectors", .inputs = {{"y", normal({5})}, {"x", normal({5})}}},
      {.name = "with more axes",
       .inputs = {{"y", uniform({2, 3, 4}, 0, 1)}, {"x", uniform({2, 3, 4}, 0, 1)}}},
      {.name = "one point", .inputs = {{"y", normal({1})}, {"x", normal({1})}}},
      {.name = "no lines", .inputs = {{"y", normal({0, 3})}, {"x", normal({0, 3})}}},
      {.name = "float32",
       .inputs = {{"y", normal({3}).as(DType::float32)}, {"x", normal({3}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"y", tensor({3}, {1, 3, 2})}, {"x", tensor({3}, {0, 2, 3})}},
       .expect = {{"output", tensor({}, {6.5})}}},
      {.name = "ints", .inputs = {{"y", integers({4}, 0, 9)}, {"x", integers({4}, 0, 9)}}},
      {.name = "another number of points",
       .inputs = {{"y", normal({3})}, {"x", normal({4})}},
       .error = "E0202"},
  };
}
