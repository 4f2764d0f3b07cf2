// Rows of less_equal.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(less_equal) { return comparison_rows(std::less_equal<double>()); }
