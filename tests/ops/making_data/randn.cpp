// Rows of randn.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(randn) {
  return {
      {.name = "a matrix", .inputs = {{"shape", ints({3, 4})}, {"key", integers({}, 0, 100)}}},
      {.name = "a key that is a value", .inputs = {{"shape", ints({2, 2})}, {"key", 7}}},
      {.name = "a vector", .inputs = {{"shape", 3}, {"key", 7}}},
      {.name = "one", .inputs = {{"shape", ints({1})}, {"key", 5}}},
      {.name = "a scalar", .inputs = {{"shape", ints({})}, {"key", 5}}},
      {.name = "none",
       .inputs = {{"shape", ints({0, 2})}, {"key", 5}},
       .expect = {{"output", tensor({0, 2}, {})}}},
      {.name = "float32", .inputs = {{"shape", 3}, {"key", 7}, {"dtype", DType::float32}}},
      {.name = "a float key", .inputs = {{"shape", 2}, {"key", normal({})}}, .error = "E0301"},
      {.name = "a negative size",
       .inputs = {{"shape", -1}, {"key", 1}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
