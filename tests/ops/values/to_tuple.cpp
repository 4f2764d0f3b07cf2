// Rows of to_tuple.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(to_tuple) {
  return {
      {.name = "several",
       .inputs = {{"input", list({Datum(1), Datum(2.5), Datum("x")})}},
       .expect = {{"output", Tuple{1, 2.5, "x"}}}},
      {.name = "one",
       .inputs = {{"input", list({Datum(None{})})}},
       .expect = {{"output", Tuple{None{}}}}},
      {.name = "none", .inputs = {{"input", list({})}}, .expect = {{"output", Tuple{}}}},
      {.name = "nested",
       .inputs = {{"input", list({ints({1, 2}), Datum(3)})}},
       .expect = {{"output", Tuple{Tuple{1, 2}, 3}}}},
      {.name = "a tensor", .inputs = {{"input", list({normal({2})})}}, .error = "E0301"},
  };
}
