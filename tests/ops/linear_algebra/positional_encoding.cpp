// Rows of positional_encoding.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(positional_encoding) {
  return {
      {.name = "three axes", .inputs = {{"input", normal({2, 3, 4})}, {"hidden_dim", 4}}},
      {.name = "the greatest length",
       .inputs = {{"input", normal({3, 2})}, {"hidden_dim", 2}, {"max_len", 3}}},
      {.name = "two axes", .inputs = {{"input", normal({3, 2})}, {"hidden_dim", 2}}},
      {.name = "one position", .inputs = {{"input", normal({2, 1, 4})}, {"hidden_dim", 4}}},
      {.name = "no positions", .inputs = {{"input", normal({2, 0, 4})}, {"hidden_dim", 4}}},
      {.name = "float32",
       .inputs = {{"input", normal({1, 2, 2}).as(DType::float32)}, {"hidden_dim", 2}}},
      {.name = "values of a published table",
       .inputs = {{"input", tensor({2, 2}, {0, 0, 0, 0})}, {"hidden_dim", 2}},
       .expect = {{"output", tensor({2, 2}, {0, 1, 0.8414709848078965, 0.5403023058681398})}}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}, {"hidden_dim", 2}}},
      {.name = "a width that is odd",
       .inputs = {{"input", normal({2, 3})}, {"hidden_dim", 3}},
       .error = "E0402",
       .message = "hidden_dim is odd"},
      {.name = "another width",
       .inputs = {{"input", normal({2, 4})}, {"hidden_dim", 2}},
       .error = "E0202"},
      {.name = "a sequence that is too long",
       .inputs = {{"input", normal({3, 2})}, {"hidden_dim", 2}, {"max_len", 2}},
       .error = "E0206",
       .message = "longer than max_len"},
  };
}
