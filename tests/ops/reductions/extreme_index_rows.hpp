// The rows of argmax and argmin.
#pragma once

#include <cmath>
#include <vector>

#include "tests/table/case.hpp"

namespace mithril::tests {

// The indices that differ between argmax and argmin.
struct ExtremeIndices {
  std::vector<double> first_axis;  // in {{-1, -2}, {2, 0}, {1, -1}}
  double all;                      // in the same
  std::vector<double> of_equals;   // in each row of {{6, 6, 1}, {1, 6, 6}}, the first
};

inline std::vector<OpCase> extreme_index_rows(const ExtremeIndices& expected) {
  return {
      {.name = "no elements",
       .inputs = {{"input", normal({0, 0})}, {"axis", 1}},
       .expect = {{"output", tensor({0}, {}).as(DType::int64)}}},
      {.name = "all", .inputs = {{"input", distinct({2, 3})}}},
      {.name = "the last axis", .inputs = {{"input", distinct({2, 3})}, {"axis", -1}}},
      {.name = "the first axis, kept",
       .inputs = {{"input", distinct({2, 3})}, {"axis", 0}, {"keepdim", true}}},
      {.name = "all, kept", .inputs = {{"input", distinct({2, 3})}, {"keepdim", true}}},
      {.name = "rank 0", .inputs = {{"input", distinct({})}}},
      {.name = "one element", .inputs = {{"input", distinct({1, 1})}, {"axis", 1}}},
      {.name = "an empty output", .inputs = {{"input", distinct({0, 3})}, {"axis", 1}}},
      {.name = "ints", .inputs = {{"input", integers({3, 4}, -9, 10)}, {"axis", 1}}},
      {.name = "bools", .inputs = {{"input", booleans({3, 4})}, {"axis", 0}}},
      {.name = "float32", .inputs = {{"input", distinct({4, 5}).as(DType::float32)}, {"axis", 0}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({3, 2}, {-1, -2, 2, 0, 1, -1})}, {"axis", 0}},
       .expect = {{"output", tensor({2}, expected.first_axis).as(DType::int64)}}},
      {.name = "in all",
       .inputs = {{"input", tensor({3, 2}, {-1, -2, 2, 0, 1, -1})}},
       .expect = {{"output", tensor({}, {expected.all}).as(DType::int64)}}},
      {.name = "the first of equals",
       .inputs = {{"input", tensor({2, 3}, {6, 6, 1, 1, 6, 6})}, {"axis", 1}},
       .expect = {{"output", tensor({2}, expected.of_equals).as(DType::int64)}}},
      {.name = "NaN wins",
       .inputs = {{"input", tensor({4}, {1, NAN, INFINITY, NAN})}},
       .expect = {{"output", tensor({}, {1}).as(DType::int64)}}},
      {.name = "no element to choose from",
       .inputs = {{"input", normal({0, 2})}, {"axis", 0}},
       .error = "E0411",
       .message = "no element"},
      {.name = "an axis out of range",
       .inputs = {{"input", distinct({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2"},
      {.name = "along axis 0 of rank 0", .inputs = {{"input", distinct({})}, {"axis", 0}}},
      {.name = "along the last axis of rank 0, kept",
       .inputs = {{"input", distinct({})}, {"axis", -1}, {"keepdim", true}}},
      {.name = "rank 0, an axis out of range",
       .inputs = {{"input", distinct({})}, {"axis", 1}},
       .error = "E0402",
       .message = "axis 1 is out of range for rank 0"},
      {.name = "a tuple of axes",
       .inputs = {{"input", distinct({2, 3})}, {"axis", ints({0, 1})}},
       .error = "E0301"},
      {.name = "an axis that is a float",
       .inputs = {{"input", distinct({2, 3})}, {"axis", 1.0}},
       .error = "E0301"},
  };
}

}  // namespace mithril::tests
