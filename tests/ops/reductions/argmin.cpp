// Rows of argmin.
#include "tests/ops/reductions/extreme_index_rows.hpp"

MITHRIL_OP_CASES(argmin) {
  return extreme_index_rows({.first_axis = {0, 0}, .all = 1, .of_equals = {2, 0}});
}
