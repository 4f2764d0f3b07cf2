// Rows of dtype.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(dtype) {
  return {
      {.name = "bools",
       .inputs = {{"input", booleans({2})}},
       .expect = {{"output", DType::boolean}}},
      {.name = "one element",
       .inputs = {{"input", booleans({1})}},
       .expect = {{"output", DType::boolean}}},
      {.name = "no elements",
       .inputs = {{"input", booleans({0})}},
       .expect = {{"output", DType::boolean}}},
      {.name = "of a value", .inputs = {{"input", 3}}, .error = "E0301"},
  };
}
