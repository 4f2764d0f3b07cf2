// Rows of rotary_factors.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(rotary_factors) {
  const TensorSpec far = tensor({1}, {4999}).as(DType::int64);
  return {
      {.name = "a base",
       .inputs = {{"positions", tensor({2}, {0, 3}).as(DType::int64)},
                  {"like", normal({2, 4})},
                  {"base", 100.0}},
       .expect = {{"cos", tensor({2, 2}, {1, 1, -0.9899924966004454, 0.955336489125606})},
                  {"sin", tensor({2, 2}, {0, 0, 0.1411200080598672, 0.2955202066613395})}}},
      {.name = "frequencies, for positions of two axes",
       .inputs = {{"positions", integers({2, 3}, 0, 9)},
                  {"like", normal({3, 4})},
                  {"frequencies", Tuple{0.5, 0.25}}}},
      {.name = "no positions",
       .inputs = {{"positions", integers({0}, 0, 9)}, {"like", normal({0, 4})}}},
      {.name = "half precision",
       .inputs = {{"positions", far},
                  {"like", normal({1, 2}).as(DType::float16)},
                  {"frequencies", Tuple{1.0}}},
       .expect = {{"cos", tensor({1, 1}, {-0.7477774}).as(DType::float16)},
                  {"sin", tensor({1, 1}, {-0.6639495}).as(DType::float16)}}},
      {.name = "positions of floats",
       .inputs = {{"positions", normal({2})}, {"like", normal({2, 4})}},
       .error = "E0301"},
  };
}
