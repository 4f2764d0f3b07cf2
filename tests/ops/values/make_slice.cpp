// Rows of make_slice.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(make_slice) {
  return {
      {.name = "all bounds",
       .inputs = {{"start", 1}, {"stop", -1}, {"step", 2}},
       .expect = {{"output", Slice{1, -1, 2}}}},
      {.name = "no bounds",
       .inputs = {{"start", None{}}, {"stop", None{}}, {"step", None{}}},
       .expect = {{"output", Slice{}}}},
      {.name = "a float",
       .inputs = {{"start", 1.0}, {"stop", None{}}, {"step", None{}}},
       .error = "E0301"},
  };
}
