// Rows of nan_to_num.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(nan_to_num) {
  const TensorSpec odd = tensor({4}, {NAN, INFINITY, -INFINITY, 3});
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", odd.as(DType::float32)}}, .hold = {"input"}},
      {.name = "the largest numbers",
       .inputs = {{"input", odd}},
       .expect = {{"output", tensor({4}, {0, 1.7976931348623157e308, -1.7976931348623157e308, 3})}},
       .hold = {"input"},
       .only_float64 = "the largest number is another"},
      {.name = "values for nan, posinf and neginf",
       .inputs = {{"input", odd}, {"nan", 7.0}, {"posinf", 8.0}, {"neginf", -9}},
       .expect = {{"output", tensor({4}, {7, 8, -9, 3})}},
       .hold = {"input"}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}}},
      {.name = "a filler that is not a number",
       .inputs = {{"input", normal({2})}, {"nan", None()}},
       .error = "E0301"},
  };
}
