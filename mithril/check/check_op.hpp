// Checks the record of a user's op as Mithril checks its own ops.
#pragma once

#include <vector>

#include "mithril/check/op_case.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp

// Runs these checks for each row, on the reference backend:
// - inference gives the dims, dtypes and values that eval computes, with known, symbolic and
//   unknown sizes, and for any order of the facts;
// - the outputs are those that the row expects, and a row with an error raises it;
// - gradients and second gradients agree with central differences, so a missing gradient is found,
//   too;
// - the C formula gives the same results as eval;
// - float32, float16 and bfloat16 results are close to float64;
// - all this holds in other sizes, including 0 and 1, if the op accepts them.
// ValueError E0440 lists the failed checks with their rows and numbers; E0441 reports a record or a
// spelling that cannot be parsed; E0442 reports that there are no rows. The op need not be
// registered (`add_op`). Example:
//   using namespace mithril::check;
//   check_op(find_op("softsign"), {{.name = "default", .inputs = {{"input", normal({3, 4})}}},
//                                  {.name = "by hand",
//                                   .inputs = {{"input", tensor({2}, {1, -3})}},
//                                   .expect = {{"output", tensor({2}, {0.5, -0.75})}}}});
void check_op(const OpDef& op, const std::vector<check::OpCase>& rows);

}  // namespace mithril
