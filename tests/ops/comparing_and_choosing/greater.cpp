// Rows of greater.
#include <functional>

#include "tests/ops/comparing_and_choosing/comparison_rows.hpp"

MITHRIL_OP_CASES(greater) { return comparison_rows(std::greater<double>()); }
