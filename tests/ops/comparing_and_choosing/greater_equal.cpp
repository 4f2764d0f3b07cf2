// Rows of greater_equal.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(greater_equal) { return comparison_rows(std::greater_equal<double>()); }
