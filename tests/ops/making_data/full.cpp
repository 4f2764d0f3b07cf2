// Rows of full.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(full) {
  return {
      {.name = "a float",
       .inputs = {{"shape", ints({2, 2})}, {"fill_value", 1.5}},
       .expect = {{"output", tensor({2, 2}, {1.5, 1.5, 1.5, 1.5})}}},
      {.name = "an int",
       .inputs = {{"shape", ints({2})}, {"fill_value", 7}},
       .expect = {{"output", tensor({2}, {7, 7}).as(DType::int64)}}},
      {.name = "a bool",
       .inputs = {{"shape", ints({1})}, {"fill_value", true}},
       .expect = {{"output", tensor({1}, {1}).as(DType::boolean)}}},
      {.name = "an int as float32",
       .inputs = {{"shape", 1}, {"fill_value", 7}, {"dtype", DType::float32}},
       .expect = {{"output", tensor({1}, {7}).as(DType::float32)}}},
      {.name = "no elements", .inputs = {{"shape", ints({0})}, {"fill_value", 1.0}}},
      {.name = "a negative size",
       .inputs = {{"shape", ints({-3})}, {"fill_value", 1.0}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
