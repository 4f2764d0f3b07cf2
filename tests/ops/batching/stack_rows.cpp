// Rows of stack_rows, whose inputs are computed from row_of. tests/passes/batching.cpp has its
// meaning.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(stack_rows) {
  return {
      {.name = "an axis that the output does not have",
       .inputs = {{"values", list({normal({2}), normal({2})})},
                  {"axes", ints({2, 0})},
                  {"inputs", 1},
                  {"size", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
