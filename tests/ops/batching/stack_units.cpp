// Rows of stack_units, whose inputs are computed from unit_of. tests/models/vmap.cpp has its
// meaning.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(stack_units) {
  return {
      {.name = "ints",
       .inputs = {{"values", list({normal({2}), normal({3})})},
                  {"like", integers({3}, 0, 5)},
                  {"last", false}},
       .error = "E0301"},
  };
}
