#include <fmt/format.h>

#include <algorithm>

#include "mithril/check/checks.hpp"
#include "mithril/check/generate.hpp"
#include "mithril/check/placement.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::check {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool names_op(const OpDef& op, std::string_view text) {
  return contains(text, op.name) || contains(text, op.model_name);
}

// The error of an op with one port need not name the port.
bool names_port(const OpDef& op, std::string_view text) {
  if (op.inputs.size() == 1) return true;
  auto named = [&](const PortDef& port) { return contains(text, port.name); };
  return std::any_of(op.inputs.begin(), op.inputs.end(), named) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), named);
}

std::string error_difference(const OpDef& op, const OpCase& row, const Error& error) {
  const std::string text = error.what();
  if (error.code() != row.error) return fmt::format("the code is {}: {}", error.code(), text);
  if (!contains(text, row.message))
    return fmt::format("'{}' is not in the text: {}", row.message, text);
  if (!names_op(op, text)) return "the text does not name the op: " + text;
  return names_port(op, text) ? "" : "the text names no port: " + text;
}

}  // namespace

void check_refusal(const OpDef& op, const OpCase& row, Report& report) {
  report.count(Check::refusal, "error " + row.error, [&] {
    try {
      place(op, row, Knowledge::numbers, 0);
      const RowGraph built = build(op, row);
      interpret(built.graph, generate(built.tensors, 1));
    } catch (const Error& error) {
      return error_difference(op, row, error);
    }
    return std::string("nothing was refused");
  });
}

}  // namespace mithril::check
