// Rows of logical_or.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(logical_or) {
  return {
      {.name = "its truth table",
       .inputs = {{"left", tensor({2, 1}, {0, 1}).as(DType::boolean)},
                  {"right", tensor({2}, {0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({2, 2}, {0, 1, 1, 1}).as(DType::boolean)}}},
      {.name = "both are broadcast",
       .inputs = {{"left", booleans({3, 1, 4})}, {"right", booleans({2, 1})}}},
      {.name = "one element", .inputs = {{"left", booleans({1})}, {"right", booleans({})}}},
      {.name = "no elements", .inputs = {{"left", booleans({0, 3})}, {"right", booleans({3})}}},
      {.name = "a tensor and a bool", .inputs = {{"left", booleans({5})}, {"right", true}}},
      {.name = "a bool and a tensor", .inputs = {{"left", false}, {"right", booleans({5})}}},
      {.name = "two bools",
       .inputs = {{"left", true}, {"right", false}},
       .expect = {{"output", true}}},
      {.name = "ints are refused",
       .inputs = {{"left", integers({2}, 0, 2)}, {"right", booleans({2})}},
       .error = "E0301"},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", booleans({2, 3})}, {"right", booleans({2, 4})}},
       .error = "E0203"},
  };
}
