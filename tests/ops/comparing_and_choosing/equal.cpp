// Rows of equal.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(equal) { return comparison_rows(std::equal_to<double>()); }
