// Rows of split.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(split) {
  return {
      {.name = "rows", .inputs = {{"input", normal({6, 3})}, {"sizes", ints({2, 4})}}},
      {.name = "columns",
       .inputs = {{"input", normal({2, 8})}, {"sizes", ints({3, 1, 4})}, {"axis", 1}}},
      {.name = "along the last axis",
       .inputs = {{"input", normal({2, 3, 7})}, {"sizes", ints({2, 5})}, {"axis", -1}}},
      {.name = "one part", .inputs = {{"input", normal({2, 3})}, {"sizes", ints({2})}}},
      {.name = "rows of one element",
       .inputs = {{"input", normal({3, 1})}, {"sizes", ints({1, 2})}}},
      {.name = "one element each", .inputs = {{"input", normal({2})}, {"sizes", ints({1, 1})}}},
      {.name = "a part without elements",
       .inputs = {{"input", normal({2, 3})}, {"sizes", ints({0, 2})}}},
      {.name = "no elements", .inputs = {{"input", normal({4, 0})}, {"sizes", ints({1, 3})}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 9)}, {"sizes", ints({2, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                  {"sizes", ints({1, 2})},
                  {"axis", 1}},
       .expect = {{"output", list({tensor({2, 1}, {1, 4}), tensor({2, 2}, {2, 3, 5, 6})})}}},
      {.name = "sizes do not add up",
       .inputs = {{"input", normal({6, 3})}, {"sizes", ints({2, 3})}},
       .error = "E0202"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({6, 3})}, {"sizes", ints({2, 4})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
