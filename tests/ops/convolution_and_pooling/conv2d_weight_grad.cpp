// Rows of conv2d_weight_grad.
#include "tests/ops/convolution_and_pooling/conv2d_grad_rows.hpp"

MITHRIL_OP_CASES(conv2d_weight_grad) {
  std::vector<OpCase> rows = conv2d_grad_rows(tensor({1, 1, 1, 2}, {5, 8}));
  rows.push_back({.name = "more channels than places",
                  .inputs = {{"grad", normal({2, 8, 2, 1})},
                             {"input", normal({2, 3, 5, 4})},
                             {"weight", normal({8, 3, 2, 3})},
                             {"stride", ints({2, 1})},
                             {"padding", Datum(Tuple{Tuple{1, 0}, Tuple{0, 1}})},
                             {"dilation", ints({2, 2})}}});
  return rows;
}
