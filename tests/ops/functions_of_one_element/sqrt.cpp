// Rows of sqrt.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(sqrt) {
  return {
      {.name = "a matrix", .inputs = {{"input", positive({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", positive({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 0, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {4, 0, -1, INFINITY})}},
       .expect = {{"output", tensor({4}, {2, 0, NAN, INFINITY})}},
       .hold = {"input"}},
      {.name = "an int", .inputs = {{"input", 9}}, .expect = {{"output", 3.0}}},
      {.name = "a float", .inputs = {{"input", 0.25}}, .expect = {{"output", 0.5}}},
      {.name = "robust", .inputs = {{"input", normal({3, 4}).away_from({0})}, {"robust", true}}},
      {.name = "robust, below the threshold",
       .inputs = {{"input", tensor({4}, {0.01, -0.01, 0.25, -0.25})},
                  {"robust", true},
                  {"threshold", 0.04}},
       .expect = {{"output", tensor({4}, {0.05, 0.05, 0.5, 0.5})}}},
      {.name = "robust, at 0",
       .inputs = {{"input", tensor({1}, {0})}, {"robust", true}},
       .expect = {{"output", tensor({1}, {0})}},
       .hold = {"input"}},
      {.name = "a negative number",
       .inputs = {{"input", -1.0}},
       .error = "E0402",
       .message = "root of a negative number"},
      {.name = "bools",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({2}, {0, 1})}}},
      {.name = "a threshold that is a tensor",
       .inputs = {{"input", positive({2})}, {"threshold", normal({})}},
       .error = "E0301"},
  };
}
