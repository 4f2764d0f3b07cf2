// Rows of at_least1d.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(at_least1d) {
  return {
      {.name = "a scalar",
       .inputs = {{"input", tensor({}, {3})}},
       .expect = {{"output", tensor({1}, {3})}}},
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0})}}},
      {.name = "float32", .inputs = {{"input", normal({}).as(DType::float32)}}},
      {.name = "an int", .inputs = {{"input", integers({}, 0, 9)}}},
      {.name = "a bool", .inputs = {{"input", booleans({})}}},
      {.name = "a number is not a tensor", .inputs = {{"input", 2.0}}, .error = "E0301"},
  };
}
