// Rows of equal.
#include <functional>

#include "tests/op_cases/comparison_rows.hpp"

MITHRIL_OP_CASES(equal) { return comparison_rows(std::equal_to<double>()); }
