// Rows of lgamma.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(lgamma) {
  return {
      {.name = "a matrix", .inputs = {{"input", positive({3, 4})}}},
      {.name = "below 0", .inputs = {{"input", uniform({5}, -1.8, -1.2)}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", positive({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 1, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({6}, {1, 2, 5, 0.5, -0.5, 0})}},
       .expect = {{"output", tensor({6}, {0, 0, 3.1780538303479458, 0.5723649429247001,
                                          1.2655121234846454, INFINITY})}},
       .hold = {"input"}},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
