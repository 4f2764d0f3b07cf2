// Rows of polygamma.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(polygamma) {
  return {
      {.name = "digamma", .inputs = {{"input", positive({3, 4})}}},
      {.name = "trigamma", .inputs = {{"input", positive({4})}, {"order", 1}}},
      {.name = "order 4", .inputs = {{"input", positive({4})}, {"order", 4}}},
      {.name = "digamma below 0", .inputs = {{"input", uniform({5}, -2.8, -2.2)}}},
      {.name = "trigamma below 0", .inputs = {{"input", uniform({5}, -2.8, -2.2)}, {"order", 1}}},
      {.name = "order 2 below 0", .inputs = {{"input", uniform({5}, -1.8, -1.2)}, {"order", 2}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}}},
      {.name = "one element", .inputs = {{"input", positive({1})}}},
      {.name = "no elements", .inputs = {{"input", positive({0, 2})}}},
      {.name = "float32", .inputs = {{"input", positive({3}).as(DType::float32)}}},
      {.name = "ints", .inputs = {{"input", integers({5}, 1, 9)}}},
      {.name = "digamma values of a published table",
       .inputs = {{"input", tensor({4}, {1, 0.5, 10, 0})}},
       .expect = {{"output", tensor({4}, {-0.5772156649015329, -1.9635100260214235,
                                          2.251752589066721, -INFINITY})}},
       .hold = {"input"}},
      {.name = "trigamma values of a published table",
       .inputs = {{"input", tensor({3}, {1, 0.5, -0.5})}, {"order", 1}},
       .expect = {{"output",
                   tensor({3}, {1.6449340668482264, 4.934802200544679, 8.934802200544679})}}},
      {.name = "order 2, values of a published table",
       .inputs = {{"input", tensor({2}, {1, 0.5})}, {"order", 2}},
       .expect = {{"output", tensor({2}, {-2.4041138063191886, -16.8287966442344})}}},
      {.name = "an order below 0",
       .inputs = {{"input", positive({2})}, {"order", -1}},
       .error = "E0402"},
      {.name = "bools are refused", .inputs = {{"input", booleans({2})}}, .error = "E0301"},
  };
}
