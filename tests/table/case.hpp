// The rows of the op table, from tests/ops/*/*.cpp. mithril/check/run_rows.hpp describes the
// checks.
#pragma once

#include <string_view>
#include <vector>

#include "mithril/check/op_case.hpp"

namespace mithril::tests {

using check::booleans;
using check::distinct;
using check::integers;
using check::ints;
using check::Item;
using check::list;
using check::normal;
using check::OpCase;
using check::PortContent;
using check::PortContents;
using check::positive;
using check::tensor;
using check::TensorSpec;
using check::uniform;

struct OpCases {
  std::string_view op;
  std::vector<OpCase> (*rows)();
};
// The rows of every file that is linked into the program, in the order of the ops' names.
std::vector<OpCases> all_op_cases();

struct RegisterOpCases {
  RegisterOpCases(std::string_view op, std::vector<OpCase> (*rows)());
};

}  // namespace mithril::tests

// Before the body of a function that returns the rows of an op:
//   MITHRIL_OP_CASES(relu) {
//     return {{.name = "default", .inputs = {{"input", normal({3, 4}).away_from({0})}}}};
//   }
// Names of mithril and mithril::tests are visible in it.
#define MITHRIL_OP_CASES(op)                                                     \
  namespace mithril::tests {                                                     \
  static std::vector<OpCase> op_cases_of_##op();                                 \
  static const RegisterOpCases register_op_cases_of_##op{#op, op_cases_of_##op}; \
  }                                                                              \
  std::vector<mithril::tests::OpCase> mithril::tests::op_cases_of_##op()
