// Rows of layer_norm.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(layer_norm) {
  return {
      {.name = "rows", .inputs = {{"input", normal({3, 4})}}},
      {.name = "with a weight and a bias",
       .inputs = {{"input", normal({3, 4})}, {"weight", normal({4})}, {"bias", normal({4})}}},
      {.name = "with a weight alone",
       .inputs = {{"input", normal({2, 3, 4})}, {"weight", normal({4})}}},
      {.name = "with a bias alone", .inputs = {{"input", normal({3, 5})}, {"bias", normal({5})}}},
      {.name = "another eps", .inputs = {{"input", normal({3, 4})}, {"eps", 0.5}}},
      {.name = "one row", .inputs = {{"input", normal({5})}, {"weight", normal({5})}}},
      {.name = "rows of one element",
       .inputs = {{"input", normal({3, 1})},
                  {"weight", normal({1})},
                  {"bias", normal({1})},
                  {"eps", 0.25}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 4})}, {"weight", normal({4})}}},
      {.name = "rows without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "ints", .inputs = {{"input", integers({3, 4}, -3, 4)}, {"weight", normal({4})}}},
      {.name = "float32",
       .inputs = {{"input", normal({3, 4}).as(DType::float32)},
                  {"weight", normal({4}).as(DType::float32)},
                  {"bias", normal({4}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({1, 2}, {1, 3})},
                  {"weight", tensor({2}, {2, 4})},
                  {"bias", tensor({2}, {1, 1})},
                  {"eps", 3}},
       .expect = {{"output", tensor({1, 2}, {0, 3})},
                  {"mean", tensor({1, 1}, {2})},
                  {"rstd", tensor({1, 1}, {0.5})}}},
      {.name = "a weight of another size",
       .inputs = {{"input", normal({3, 4})}, {"weight", normal({3})}},
       .error = "E0202"},
      {.name = "of rank 0", .inputs = {{"input", normal({})}}, .error = "E0201"},
  };
}
