// Rows of sin.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(sin) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, -3, 4)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2}, {0, INFINITY})}},
       .expect = {{"output", tensor({2}, {0, NAN})}},
       .hold = {"input"}},
      {.name = "large angles",
       .inputs = {{"input", tensor({6}, {38999, -39001, 52707.18, -123456, 1e6, -3e7})}},
       .hold = {"input"}},
      {.name = "a value is refused", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
