// Rows of flip.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(flip) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({3, 5})}, {"axis", -1}}},
      {.name = "two axes", .inputs = {{"input", normal({2, 3, 4})}, {"axis", ints({0, 2})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"axis", 0}},
       .expect = {{"output", tensor({2, 2}, {3, 4, 1, 2})}}},
      {.name = "bools", .inputs = {{"input", booleans({5})}, {"axis", 0}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"axis", 0}}},
      {.name = "no elements", .inputs = {{"input", normal({2, 0})}, {"axis", 1}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
      {.name = "an axis twice",
       .inputs = {{"input", normal({2, 3})}, {"axis", ints({1, -1})}},
       .error = "E0402"},
  };
}
