// Rows of greater_equal.
#include <functional>

#include "tests/op_cases/comparison_rows.hpp"

MITHRIL_OP_CASES(greater_equal) { return comparison_rows(std::greater_equal<double>()); }
