// Checks the record of an op as Mithril checks its own: for who adds ops.
#pragma once

#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

// Each row becomes many checks, on the reference backend:
// - what is inferred of the outputs is what eval makes, with numbers, symbols and nothing known of
//   the sizes, and in any order of the facts;
// - outputs are what the row expects, and the error comes that it names;
// - gradients, and their gradients, agree with central differences; a gradient that never flows
//   does not;
// - the formula spelled for C gives what eval gives;
// - float32, float16 and bfloat16 come close to float64;
// - the same in other sizes, 0 and 1 among them, where the op takes them.
// ValueError E0440 tells what does not hold: the rows, the checks and the numbers; E0441 a record
// or a spelling that cannot be read; E0442 that there are no rows. The op may be registered
// (`add_op`) or not. Example:
//   using namespace mithril::check;
//   check_op(find_op("softsign"), {{.name = "default", .inputs = {{"input", normal({3, 4})}}},
//                                  {.name = "by hand",
//                                   .inputs = {{"input", tensor({2}, {1, -3})}},
//                                   .expect = {{"output", tensor({2}, {0.5, -0.75})}}}});
void check_op(const OpDef& op, const std::vector<check::OpCase>& rows);

}  // namespace mithril
