#include "mithril/check/check_op.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/check/run_rows.hpp"
#include "mithril/op/formula.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/row_formula.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril {
namespace {

constexpr size_t most_told = 8;

// Patterns and spellings are text that is parsed here for the first time.
OpDef readable(OpDef op) {
  try {
    if (op.compiled.ports.empty()) compile_patterns(op);
    for (const Spelling& spelling : op.spell) {
      if (spelling.text.starts_with("unsupported") || spelling.write) continue;
      if (spelling.target == "c") parse_formula(spelling.text);
      if (spelling.target == "rows") parse_row_formula(spelling.text);
      if (spelling.target == "torch" || spelling.target.starts_with("onnx"))
        parse_spelling(spelling.text);
    }
  } catch (const Error& error) {
    ErrorDetails details{
        .kind = ErrorKind::value,
        .code = "E0441",
        .message = "check_op: the record of " + in_quotes(op.name) + " cannot be read",
        .facts = {{"problem", error.details().message, ""}},
        .help = "mithril/op/op_def.hpp describes patterns and spellings"};
    for (const Fact& fact : error.details().facts) details.facts.push_back(fact);
    raise(std::move(details));
  }
  if (op.model_name.empty()) op.model_name = op.name;
  return op;
}

[[noreturn]] void refuse(const OpDef& op, const check::Report& report) {
  ErrorDetails details{.kind = ErrorKind::value,
                       .code = "E0440",
                       .message = "check_op: the op " + in_quotes(op.name) + " fails " +
                                  std::to_string(report.failed()) + " of " +
                                  std::to_string(report.failed() + report.passed()) + " checks"};
  const std::vector<std::string>& failures = report.failures();
  for (size_t i = 0; i < std::min(failures.size(), most_told); ++i)
    details.facts.push_back({std::to_string(i + 1), failures[i], ""});
  if (failures.size() > most_told)
    details.facts.push_back({"and", std::to_string(failures.size() - most_told) + " more", ""});
  raise(std::move(details));
}

}  // namespace

void check_op(const OpDef& record, const std::vector<check::OpCase>& rows) {
  if (rows.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E0442",
           .message = "check_op: there are no rows to check " + in_quotes(record.name) + " with",
           .help = "give at least one row: inputs for the ports, and what is expected"});
  }
  const OpDef op = readable(record);
  check::Report report(true);
  for (const check::OpCase& row : rows) check::run_row(op, row, report);
  if (report.failed() > 0) refuse(op, report);
}

}  // namespace mithril
