// The rows of equal, not_equal, less, less_equal, greater and greater_equal.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/table/case.hpp"

namespace mithril::tests {

// The comparison of two doubles, std::less<double>(), gives the expected results.
template <class Compare>
std::vector<OpCase> comparison_rows(Compare compare) {
  const auto of = [&](const std::vector<std::pair<double, double>>& pairs) {
    std::vector<double> results;
    for (const auto& [left, right] : pairs) results.push_back(compare(left, right) ? 1 : 0);
    return tensor({static_cast<std::int64_t>(results.size())}, results).as(DType::boolean);
  };
  return {
      {.name = "two tensors", .inputs = {{"left", normal({3, 4})}, {"right", normal({3, 4})}}},
      {.name = "both are broadcast",
       .inputs = {{"left", integers({3, 1, 4}, 0, 3)}, {"right", integers({2, 1}, 0, 3)}}},
      {.name = "one element", .inputs = {{"left", normal({1})}, {"right", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"left", normal({0, 3})}, {"right", normal({3})}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({3}, {1, 2, 3})}, {"right", tensor({1}, {2})}},
       .expect = {{"output", of({{1, 2}, {2, 2}, {3, 2}})}}},
      {.name = "NaN",
       .inputs = {{"left", tensor({2}, {NAN, 1})}, {"right", tensor({2}, {NAN, NAN})}},
       .expect = {{"output", of({{NAN, NAN}, {1, NAN}})}}},
      {.name = "an int tensor and an int",
       .inputs = {{"left", tensor({2}, {1, 2}).as(DType::int64)}, {"right", 1}},
       .expect = {{"output", of({{1, 1}, {2, 1}})}}},
      {.name = "an int32 tensor and a number that int32 does not hold",
       .inputs = {{"left", tensor({2}, {1, -1}).as(DType::int32)},
                  {"right", (std::int64_t{1} << 32) + 1}},
       .expect = {{"output", of({{1, 4294967297.0}, {-1, 4294967297.0}})}}},
      {.name = "an int tensor and a float",
       .inputs = {{"left", tensor({2}, {1, 2}).as(DType::int64)}, {"right", 1.5}},
       .expect = {{"output", of({{1, 1.5}, {2, 1.5}})}}},
      {.name = "a float and a float32 tensor",
       .inputs = {{"left", 0.1}, {"right", tensor({1}, {0.1}).as(DType::float32)}},
       .expect = {{"output", of({{0.1f, 0.1f}})}}},
      {.name = "a bool tensor and an int",
       .inputs = {{"left", tensor({2}, {0, 1}).as(DType::boolean)}, {"right", 2}},
       .expect = {{"output", of({{0, 2}, {1, 2}})}}},
      {.name = "int32 and float64",
       .inputs = {{"left", integers({3}, -2, 3).as(DType::int32)}, {"right", normal({3})}}},
      {.name = "two ints",
       .inputs = {{"left", 2}, {"right", 3}},
       .expect = {{"output", compare(2, 3)}}},
      {.name = "an int and a float",
       .inputs = {{"left", 2}, {"right", 2.0}},
       .expect = {{"output", compare(2, 2)}}},
      {.name = "bools",
       .inputs = {{"left", true}, {"right", false}},
       .expect = {{"output", compare(1, 0)}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"left", normal({2, 3})}, {"right", normal({2, 4})}},
       .error = "E0203"},
  };
}

}  // namespace mithril::tests
