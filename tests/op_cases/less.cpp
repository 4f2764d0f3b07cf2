// Rows of less.
#include <functional>

#include "tests/op_cases/comparison_rows.hpp"

MITHRIL_OP_CASES(less) { return comparison_rows(std::less<double>()); }
