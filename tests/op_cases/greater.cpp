// Rows of greater.
#include <functional>

#include "tests/op_cases/comparison_rows.hpp"

MITHRIL_OP_CASES(greater) { return comparison_rows(std::greater<double>()); }
