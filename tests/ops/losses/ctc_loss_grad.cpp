// Rows of ctc_loss_grad.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(ctc_loss_grad) {
  const auto whole = [](Dims dims, std::vector<double> values) {
    return tensor(std::move(dims), std::move(values)).as(DType::int64);
  };
  return {
      // The paths 11, 01 and 10 have the probabilities 3, 1 and 3 of 7.
      {.name = "worked out by hand",
       .inputs = {{"log_probs", tensor({3, 1, 2}, {std::log(0.25), std::log(0.75), std::log(0.5),
                                                   std::log(0.5), 0, 0})},
                  {"targets", whole({1, 1}, {1})},
                  {"input_lengths", whole({1}, {2})},
                  {"target_lengths", whole({1}, {1})}},
       .expect = {{"output", tensor({3, 1, 2}, {-1. / 7, -6. / 7, -3. / 7, -4. / 7, 0, 0})}}},
      {.name = "several lengths, repeated labels",
       .inputs = {{"log_probs", uniform({6, 3, 4}, -3, -0.5)},
                  {"targets", whole({3, 3}, {1, 2, 1, 3, 3, -1, 2, 0, 9})},
                  {"input_lengths", whole({3}, {6, 5, 2})},
                  {"target_lengths", whole({3}, {3, 2, 1})}}},
      {.name = "labels that do not fit",
       .inputs = {{"log_probs", tensor({3, 1, 3}, {-1, -1, -1, -1, -1, -1, -1, -1, -1})},
                  {"targets", whole({1, 2}, {1, 1})},
                  {"input_lengths", whole({1}, {2})},
                  {"target_lengths", whole({1}, {2})}},
       .expect = {{"output", tensor({3, 1, 3}, {NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, 0})}}},
      {.name = "labels that do not fit are 0",
       .inputs = {{"log_probs", tensor({2, 1, 2}, {-1, -1, -1, -1})},
                  {"targets", whole({1, 2}, {1, 1})},
                  {"input_lengths", whole({1}, {2})},
                  {"target_lengths", whole({1}, {2})},
                  {"zero_infinity", true}},
       .expect = {{"output", tensor({2, 1, 2}, {0, 0, 0, 0})}}},
      {.name = "another blank, float32",
       .inputs = {{"log_probs", uniform({5, 2, 4}, -3, -0.5).as(DType::float32)},
                  {"targets", whole({2, 2}, {0, 1, 1, 2})},
                  {"input_lengths", whole({2}, {5, 4})},
                  {"target_lengths", whole({2}, {2, 2})},
                  {"blank", 3}}},
      {.name = "no labels",
       .inputs = {{"log_probs", uniform({3, 1, 2}, -3, -0.5)},
                  {"targets", whole({1, 1}, {1})},
                  {"input_lengths", whole({1}, {3})},
                  {"target_lengths", whole({1}, {0})}}},
      {.name = "no steps",
       .inputs = {{"log_probs", normal({0, 1, 2})},
                  {"targets", whole({1, 1}, {1})},
                  {"input_lengths", whole({1}, {0})},
                  {"target_lengths", whole({1}, {1})},
                  {"zero_infinity", true}}},
      {.name = "the blank out of range",
       .inputs = {{"log_probs", normal({3, 1, 2})},
                  {"targets", whole({1, 1}, {1})},
                  {"input_lengths", whole({1}, {3})},
                  {"target_lengths", whole({1}, {1})},
                  {"blank", 2}},
       .error = "E0402",
       .message = "blank is out of range"},
  };
}
