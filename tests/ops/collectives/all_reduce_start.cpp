// Rows of all_reduce_start. Other groups than that of one process are in tests/cpu/collectives.cpp.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(all_reduce_start) {
  return {
      {.name = "several tensors",
       .inputs = {{"inputs", list({normal({2, 3}), normal({4}), normal({})})}, {"group", "alone"}}},
      {.name = "the process is alone",
       .inputs = {{"inputs", list({tensor({2}, {1, -2})})}, {"group", "alone"}},
       .expect = {{"outputs_0", tensor({2}, {1, -2})}}},
      {.name = "the greatest",
       .inputs = {{"inputs", list({normal({3})})}, {"group", "alone"}, {"reduction", "max"}}},
      {.name = "one element and no elements",
       .inputs = {{"inputs", list({normal({1}), normal({0, 2})})}, {"group", "alone"}}},
      {.name = "ints", .inputs = {{"inputs", list({integers({3}, -5, 5)})}, {"group", "alone"}}},
      {.name = "an unknown reduction",
       .inputs = {{"inputs", list({normal({2})})}, {"group", "alone"}, {"reduction", "mean"}},
       .error = "E0402",
       .message = "there is no reduction 'mean'"},
  };
}
