// Rows of gpr_alpha.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(gpr_alpha) {
  const TensorSpec root = tensor({2, 2}, {2, 0, 1, 3}), kernel = normal({2, 2});
  return {
      {.name = "two labels",
       .inputs = {{"label_mu_diff", normal({2, 1})}, {"L", root}, {"K_term", kernel}}},
      {.name = "one label",
       .inputs = {{"label_mu_diff", normal({1, 1})},
                  {"L", positive({1, 1})},
                  {"K_term", normal({1, 1})}}},
      {.name = "no labels",
       .inputs = {{"label_mu_diff", normal({0, 1})},
                  {"L", normal({0, 0})},
                  {"K_term", normal({0, 0})}}},
      {.name = "as a hand does",
       .inputs = {{"label_mu_diff", tensor({2, 1}, {8, 14})},
                  {"L", root},
                  {"K_term", tensor({2, 2}, {4, 2, 2, 10})}},
       .expect = {{"output", tensor({2, 1}, {13.0 / 9, 10.0 / 9})}}},
      {.name = "another number of labels",
       .inputs = {{"label_mu_diff", normal({3, 1})}, {"L", root}, {"K_term", kernel}},
       .error = "E0202"},
  };
}
