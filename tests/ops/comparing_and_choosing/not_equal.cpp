// Rows of not_equal.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(not_equal) { return comparison_rows(std::not_equal_to<double>()); }
