// Rows of less.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(less) { return comparison_rows(std::less<double>()); }
