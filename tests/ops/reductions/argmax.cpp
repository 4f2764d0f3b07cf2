// Rows of argmax.
#include "tests/ops/reductions/extreme_index_rows.hpp"

MITHRIL_OP_CASES(argmax) {
  return extreme_index_rows({.first_axis = {1, 1}, .all = 2, .of_equals = {0, 1}});
}
