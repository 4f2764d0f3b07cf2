// Rows of row_of, which stack_rows replaces. tests/passes/batching.cpp has its meaning.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(row_of) {
  return {
      {.name = "an axis that the input does not have",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}, {"size", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "another size",
       .inputs = {{"input", normal({2, 3})}, {"axis", 0}, {"size", 3}},
       .error = "E0202"},
      {.name = "a scalar",
       .inputs = {{"input", normal({})}, {"axis", 0}, {"size", 1}},
       .error = "E0402"},
  };
}
