// Rows of fmod.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(fmod) {
  return {
      {.name = "one shape",
       .inputs = {{"numerator", uniform({3, 4}, 4.1, 4.9)},
                  {"denominator", uniform({3, 4}, 1.7, 1.9)}}},
      {.name = "both are broadcast, of any sign",
       .inputs = {{"numerator", uniform({3, 1, 4}, -4.9, -4.1)},
                  {"denominator", uniform({2, 1}, 1.7, 1.9)}}},
      {.name = "one element",
       .inputs = {{"numerator", uniform({1}, 1.1, 1.9)}, {"denominator", tensor({}, {2})}}},
      {.name = "no elements",
       .inputs = {{"numerator", normal({0, 2})}, {"denominator", positive({2})}}},
      {.name = "ints",
       .inputs = {{"numerator", integers({5}, -9, 9)}, {"denominator", integers({5}, 1, 4)}}},
      {.name = "int32 by hand",
       .inputs = {{"numerator", tensor({4}, {7, -7, 7, -7}).as(DType::int32)},
                  {"denominator", tensor({4}, {3, 3, -3, -1}).as(DType::int32)}},
       .expect = {{"output", tensor({4}, {1, -1, 1, 0}).as(DType::int32)}}},
      {.name = "worked out by hand",
       .inputs = {{"numerator", tensor({4}, {5.5, -5.5, 5.5, 1})},
                  {"denominator", tensor({4}, {2, 2, -2, 0})}},
       .expect = {{"output", tensor({4}, {1.5, -1.5, 1.5, NAN})}},
       .hold = {"numerator", "denominator"}},
      {.name = "bools are refused",
       .inputs = {{"numerator", booleans({2})}, {"denominator", normal({2})}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"numerator", normal({2, 3})}, {"denominator", positive({2, 4})}},
       .error = "E0203"},
  };
}
