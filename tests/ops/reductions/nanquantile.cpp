// Rows of nanquantile.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(nanquantile) {
  return {
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 4}, {1, NAN, 0, 3, NAN, 4, NAN, 2})},
                  {"q", 0.5},
                  {"axis", 1}},
       .expect = {{"output", tensor({2}, {1, 3})}},
       .hold = {"input"}},
      {.name = "only NaN",
       .inputs = {{"input", tensor({2}, {NAN, NAN})}, {"q", Tuple{0.0, 1.0}}},
       .expect = {{"output", tensor({2}, {NAN, NAN})}},
       .hold = {"input"}},
      {.name = "without NaN, several of the first axis, kept",
       .inputs =
           {{"input", distinct({5, 2})}, {"q", Tuple{0.3, 0.6}}, {"axis", 0}, {"keepdim", true}}},
      {.name = "higher",
       .inputs = {{"input", tensor({4}, {NAN, 2, 4, 8})}, {"q", 0.3}, {"interpolation", "higher"}},
       .expect = {{"output", tensor({}, {4})}},
       .hold = {"input"}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"q", 0.3}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 3})}, {"q", 0.3}, {"axis", 1}}},
      {.name = "float32", .inputs = {{"input", distinct({6}).as(DType::float32)}, {"q", 0.35}}},
      {.name = "out of range",
       .inputs = {{"input", normal({3})}, {"q", -0.5}},
       .error = "E0402",
       .message = "a quantile is out of range"},
  };
}
