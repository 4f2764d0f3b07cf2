// Rows of tsne_bandwidths.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(tsne_bandwidths) {
  const TensorSpec squares = tensor({4, 4}, {0, 1, 4, 9, 1, 0, 1.5, 4, 4, 1.5, 0, 1, 9, 4, 1, 0});
  // Two neighbours at 1 and 2 with p and 1 - p: a perplexity of 2 ** H(p) for p = 1 / (1 + exp(-1 /
  // (2 sigma²))) at sigma = 1.
  const double wanted = 1.9403091549082168;
  const TensorSpec three = tensor({3, 3}, {0, 1, 2, 1, 0, 2, 1, 2, 0});
  return {
      {.name = "points on a line",
       .inputs = {{"squared_distances", squares}, {"target_perplexity", 2.0}}},
      {.name = "a perplexity that is computed",
       .inputs = {{"squared_distances", squares}, {"target_perplexity", uniform({}, 1.5, 2.5)}}},
      {.name = "random points",
       .inputs = {{"squared_distances", uniform({5, 5}, 0.5, 2)}, {"target_perplexity", 3.0}}},
      {.name = "worked out by hand",
       .inputs = {{"squared_distances", three}, {"target_perplexity", wanted}},
       .expect = {{"output", tensor({3, 1}, {1, 1, 1})}, {"nearest", tensor({3, 1}, {1, 1, 1})}}},
      {.name = "points equally far apart have no width",
       .inputs = {{"squared_distances", tensor({3, 3}, {0, 1, 1, 1, 0, 1, 1, 1, 0})},
                  {"target_perplexity", 1.5},
                  {"threshold", 1e-10}},
       .expect = {{"nearest", tensor({3, 1}, {1, 1, 1})}},
       .hold = {"squared_distances"}},
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
