// Rows of randint.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(randint) {
  return {
      {.name = "a matrix",
       .inputs =
           {{"shape", ints({3, 4})}, {"key", integers({}, 0, 100)}, {"low", -2}, {"high", 5}}},
      {.name = "one of one",
       .inputs = {{"shape", ints({2})}, {"key", 5}, {"low", 3}, {"high", 4}},
       .expect = {{"output", tensor({2}, {3, 3}).as(DType::int64)}}},
      {.name = "one", .inputs = {{"shape", 1}, {"key", 5}, {"low", 0}, {"high", 9}}},
      {.name = "none", .inputs = {{"shape", ints({0, 2})}, {"key", 5}, {"low", 0}, {"high", 9}}},
      {.name = "int32",
       .inputs = {{"shape", 3}, {"key", 7}, {"low", 0}, {"high", 9}, {"dtype", DType::int32}}},
      {.name = "no elements",
       .inputs = {{"shape", 3}, {"key", 7}, {"low", 3}, {"high", 3}},
       .error = "E0402",
       .message = "there is no int to draw"},
      {.name = "a float key",
       .inputs = {{"shape", 2}, {"key", normal({})}, {"low", 0}, {"high", 9}},
       .error = "E0301"},
  };
}
