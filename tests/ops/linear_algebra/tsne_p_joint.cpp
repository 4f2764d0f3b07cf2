// Rows of tsne_p_joint.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(tsne_p_joint) {
  const TensorSpec squares = tensor({4, 4}, {0, 1, 4, 9, 1, 0, 1.5, 4, 4, 1.5, 0, 1, 9, 4, 1, 0});
  return {
      {.name = "points on a line",
       .inputs = {{"squared_distances", squares}, {"target_perplexity", 2.0}}},
      {.name = "a perplexity that is computed",
       .inputs = {{"squared_distances", squares}, {"target_perplexity", uniform({}, 1.5, 2.5)}}},
      {.name = "points equally far apart",
       .inputs = {{"squared_distances", tensor({3, 3}, {0, 1, 1, 1, 0, 1, 1, 1, 0})},
                  {"target_perplexity", 1.5},
                  {"threshold", 1e-10}},
       .expect = {{"output", tensor({3, 3}, {0, 1.0 / 6, 1.0 / 6, 1.0 / 6, 0, 1.0 / 6, 1.0 / 6,
                                             1.0 / 6, 0})}},
       .hold = {"squared_distances"}},
      {.name = "more neighbours than points",
       .inputs = {{"squared_distances", tensor({2, 2}, {0, 1, 1, 0})}, {"target_perplexity", 20.0}},
       .expect = {{"output", tensor({2, 2}, {0, 0.5, 0.5, 0})}}},
      {.name = "no points",
       .inputs = {{"squared_distances", normal({0, 0})}, {"target_perplexity", 2.0}}},
      {.name = "one point",
       .inputs = {{"squared_distances", tensor({1, 1}, {0})}, {"target_perplexity", 2.0}},
       .hold = {"squared_distances"}},
      {.name = "float32",
       .inputs = {{"squared_distances", squares.as(DType::float32)}, {"target_perplexity", 2.0}}},
      {.name = "no square",
       .inputs = {{"squared_distances", normal({2, 3})}, {"target_perplexity", 2.0}},
       .error = "E0202"},
  };
}
