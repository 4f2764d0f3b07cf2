// Rows of top_k.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(top_k) {
  return {
      {.name = "the last axis", .inputs = {{"input", distinct({3, 5})}, {"k", 2}}},
      {.name = "the smallest of the first axis",
       .inputs = {{"input", distinct({5, 3})}, {"k", 3}, {"axis", 0}, {"largest", false}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {3, 1, 2, 4, 6, 5})}, {"k", 2}},
       .expect = {{"values", tensor({2, 2}, {3, 2, 6, 5})},
                  {"indices", tensor({2, 2}, {0, 2, 1, 2}).as(DType::int64)}}},
      {.name = "ints", .inputs = {{"input", integers({4, 6}, -3, 3)}, {"k", 4}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}, {"k", 1}}},
      {.name = "k = 0 of an empty axis", .inputs = {{"input", normal({2, 0})}, {"k", 0}}},
      {.name = "k above the size of the axis",
       .inputs = {{"input", normal({2, 3})}, {"k", 4}},
       .error = "E0402",
       .message = "there are fewer elements along the axis"},
  };
}
