// Rows of unit_of, which stack_units replaces. tests/models/vmap.cpp has its meaning.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(unit_of) {
  return {
      {.name = "ints", .inputs = {{"like", integers({2}, 0, 5)}}, .error = "E0301"},
  };
}
