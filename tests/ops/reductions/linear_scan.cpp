// Rows of linear_scan.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(linear_scan) {
  return {
      {.name = "the last axis", .inputs = {{"input", normal({2, 5})}, {"decay", normal({2, 5})}}},
      {.name = "the first axis, reversed",
       .inputs =
           {{"input", normal({4, 3})}, {"decay", normal({4, 3})}, {"axis", 0}, {"reverse", true}}},
      {.name = "a middle axis, exclusive",
       .inputs = {{"input", normal({2, 3, 4})},
                  {"decay", normal({2, 3, 4})},
                  {"axis", 1},
                  {"exclusive", true}}},
      {.name = "exclusive, reversed",
       .inputs = {{"input", normal({2, 4})},
                  {"decay", normal({2, 4})},
                  {"reverse", true},
                  {"exclusive", true}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}, {"decay", normal({1, 1})}}},
      {.name = "an axis without elements",
       .inputs = {{"input", normal({2, 0})}, {"decay", normal({2, 0})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}, {"decay", normal({})}}},
      {.name = "float32",
       .inputs = {{"input", normal({4, 5}).as(DType::float32)},
                  {"decay", normal({4, 5}).as(DType::float32)},
                  {"axis", 0}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"decay", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3}, {1, 2, 3})}, {"decay", tensor({3}, {9, 10, 100})}},
       .expect = {{"output", tensor({3}, {1, 12, 1203})}}},
      {.name = "a decay of another shape",
       .inputs = {{"input", normal({2, 3})}, {"decay", normal({3})}},
       .error = "E0201"},
  };
}
