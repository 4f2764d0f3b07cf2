// Rows of atan2.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(atan2) {
  return {
      {.name = "one shape",
       .inputs = {{"input", normal({3, 4})}, {"other", normal({3, 4}).away_from({0})}}},
      {.name = "both are broadcast",
       .inputs = {{"input", normal({3, 1, 4}).away_from({0})}, {"other", normal({2, 1})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}, {"other", normal({})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}, {"other", normal({2})}}},
      {.name = "float32",
       .inputs = {{"input", positive({4}).as(DType::float32)},
                  {"other", normal({4}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}, {"other", integers({5}, 1, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({5}, {1, 1, -1, 0, 0})},
                  {"other", tensor({5}, {1, -1, 0, -2, 0})}},
       .expect = {{"output", tensor({5}, {0.7853981633974483, 2.356194490192345,
                                          -1.5707963267948966, 3.141592653589793, 0})}},
       .hold = {"input", "other"}},
      {.name = "bools are refused",
       .inputs = {{"input", booleans({2})}, {"other", normal({2})}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"input", normal({2, 3})}, {"other", normal({2, 4})}},
       .error = "E0203"},
  };
}
