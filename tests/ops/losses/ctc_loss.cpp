// Rows of ctc_loss.
#include <cmath>
#include <limits>

#include "tests/table/case.hpp"

namespace {

mithril::check::TensorSpec ints_of(mithril::Dims dims, std::vector<double> values) {
  return mithril::check::tensor(std::move(dims), std::move(values)).as(mithril::DType::int64);
}

}  // namespace

MITHRIL_OP_CASES(ctc_loss) {
  return {
      // Three paths of two steps give the label 1: 11, 01 and 10.
      {.name = "worked out by hand",
       .inputs = {{"log_probs", tensor({2, 1, 2}, {std::log(0.25), std::log(0.75), std::log(0.5),
                                                   std::log(0.5)})},
                  {"targets", ints_of({1, 1}, {1})},
                  {"input_lengths", ints_of({1}, {2})},
                  {"target_lengths", ints_of({1}, {1})}},
       .expect = {{"output", tensor({1}, {-std::log(0.375 + 0.125 + 0.375)})}}},
      {.name = "several lengths, repeated labels",
       .inputs = {{"log_probs", uniform({6, 3, 4}, -3, -0.5)},
                  {"targets", ints_of({3, 3}, {1, 2, 1, 3, 3, -1, 2, 0, 9})},
                  {"input_lengths", ints_of({3}, {6, 5, 2})},
                  {"target_lengths", ints_of({3}, {3, 2, 1})}}},
      {.name = "another blank",
       .inputs = {{"log_probs", uniform({5, 2, 4}, -3, -0.5)},
                  {"targets", ints_of({2, 2}, {0, 1, 1, 2})},
                  {"input_lengths", ints_of({2}, {5, 4})},
                  {"target_lengths", ints_of({2}, {2, 2})},
                  {"blank", 3}}},
      {.name = "no labels",
       .inputs = {{"log_probs", uniform({3, 2, 2}, -3, -0.5)},
                  {"targets", ints_of({2, 1}, {1, 1})},
                  {"input_lengths", ints_of({2}, {3, 0})},
                  {"target_lengths", ints_of({2}, {0, 0})}}},
      {.name = "labels that do not fit",
       .inputs = {{"log_probs", tensor({2, 1, 2}, {-1, -1, -1, -1})},
                  {"targets", ints_of({1, 2}, {1, 1})},
                  {"input_lengths", ints_of({1}, {2})},
                  {"target_lengths", ints_of({1}, {2})}},
       .expect = {{"output", tensor({1}, {INFINITY})}},
       .hold = {"log_probs"}},
      {.name = "labels that do not fit are 0",
       .inputs = {{"log_probs", uniform({2, 2, 2}, -3, -0.5)},
                  {"targets", ints_of({2, 2}, {1, 1, 1, 0})},
                  {"input_lengths", ints_of({2}, {2, 2})},
                  {"target_lengths", ints_of({2}, {2, 1})},
                  {"zero_infinity", true}}},
      {.name = "float32, int32",
       .inputs = {{"log_probs", uniform({4, 1, 3}, -3, -0.5).as(DType::float32)},
                  {"targets", ints_of({1, 2}, {1, 2}).as(DType::int32)},
                  {"input_lengths", ints_of({1}, {4}).as(DType::int32)},
                  {"target_lengths", ints_of({1}, {2}).as(DType::int32)}}},
      {.name = "no samples",
       .inputs = {{"log_probs", normal({3, 0, 2})},
                  {"targets", integers({0, 1}, 0, 2)},
                  {"input_lengths", integers({0}, 0, 2)},
                  {"target_lengths", integers({0}, 0, 1)}}},
      {.name = "a target out of range",
       .inputs = {{"log_probs", normal({3, 1, 2})},
                  {"targets", ints_of({1, 1}, {2})},
                  {"input_lengths", ints_of({1}, {3})},
                  {"target_lengths", ints_of({1}, {1})}},
       .error = "E0402",
       .message = "an element of targets is out of range"},
      {.name = "lengths above the number of steps",
       .inputs = {{"log_probs", normal({3, 1, 2})},
                  {"targets", ints_of({1, 1}, {1})},
                  {"input_lengths", ints_of({1}, {4})},
                  {"target_lengths", ints_of({1}, {1})}},
       .error = "E0402",
       .message = "an element of input_lengths is out of range"},
      {.name = "a matrix",
       .inputs = {{"log_probs", normal({3, 2})},
                  {"targets", ints_of({1, 1}, {1})},
                  {"input_lengths", ints_of({1}, {3})},
                  {"target_lengths", ints_of({1}, {1})}},
       .error = "E0201"},
  };
}
