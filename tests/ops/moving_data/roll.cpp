// Rows of roll.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(roll) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({3, 5})}, {"shift", 2}, {"axis", -1}}},
      {.name = "two axes, one backwards",
       .inputs = {{"input", normal({4, 2, 5})}, {"shift", ints({-1, 3})}, {"axis", ints({0, 2})}}},
      {.name = "flattened", .inputs = {{"input", normal({3, 4})}, {"shift", -5}}},
      {.name = "by more than the size, worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}, {"shift", 4}, {"axis", 1}},
       .expect = {{"output", tensor({2, 3}, {3, 1, 2, 6, 4, 5})}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 9)}, {"shift", 1}, {"axis", 0}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"shift", 3}, {"axis", 0}}},
      {.name = "no elements", .inputs = {{"input", normal({2, 0})}, {"shift", 1}, {"axis", 1}}},
      {.name = "shifts and axes of different numbers",
       .inputs = {{"input", normal({2, 3})}, {"shift", ints({1, 2})}, {"axis", 0}},
       .error = "E0402",
       .message = "shifts and axes differ in number"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"shift", 1}, {"axis", 2}},
       .error = "E0402"},
  };
}
