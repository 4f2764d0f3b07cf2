// Rows of logical_not.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(logical_not) {
  return {
      {.name = "its truth table",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({2}, {1, 0}).as(DType::boolean)}}},
      {.name = "rank 0", .inputs = {{"input", booleans({})}}},
      {.name = "one element", .inputs = {{"input", booleans({1})}}},
      {.name = "no elements", .inputs = {{"input", booleans({0, 2})}}},
      {.name = "a bool", .inputs = {{"input", true}}, .expect = {{"output", false}}},
      {.name = "floats are refused", .inputs = {{"input", normal({2})}}, .error = "E0301"},
  };
}
