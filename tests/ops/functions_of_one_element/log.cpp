// Rows of log.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(log) {
  return {
      {.name = "a matrix", .inputs = {{"input", positive({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", positive({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 1, 9)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {1, 0, -1, INFINITY})}},
       .expect = {{"output", tensor({4}, {0, -INFINITY, NAN, INFINITY})}},
       .hold = {"input"}},
      {.name = "robust", .inputs = {{"input", normal({3, 4}).away_from({0})}, {"robust", true}}},
      {.name = "robust, below the threshold",
       .inputs = {{"input", tensor({3}, {0.5, -0.5, 2})}, {"robust", true}, {"threshold", 1.0}},
       .expect = {{"output", tensor({3}, {-0.5, -0.5, 0.6931471805599453})}}},
      {.name = "robust, at 0",
       .inputs = {{"input", tensor({1}, {0})}, {"robust", true}},
       .expect = {{"output", tensor({1}, {-709.3964185322641})}},
       .hold = {"input"},
       .only_float64 = "the smallest normal number is another"},
      {.name = "a value is refused", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
