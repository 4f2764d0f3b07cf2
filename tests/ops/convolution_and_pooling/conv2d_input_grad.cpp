// Rows of conv2d_input_grad.
#include "tests/ops/convolution_and_pooling/conv2d_grad_rows.hpp"

MITHRIL_OP_CASES(conv2d_input_grad) { return conv2d_grad_rows(tensor({1, 1, 1, 3}, {3, 10, 8})); }
