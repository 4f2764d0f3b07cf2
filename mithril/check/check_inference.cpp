#include <fmt/format.h>

#include "mithril/check/checks.hpp"
#include "mithril/check/compare.hpp"
#include "mithril/check/placement.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril::check {
namespace {

constexpr std::uint64_t orders = 3;

std::string text(const Inferred& inferred) {
  if (inferred.is_value()) return inferred.value ? to_string(*inferred.value) : "an unknown value";
  return to_string_kinds(inferred.kinds) +
         (inferred.dims ? " " + to_string(*inferred.dims) : " of unknown dims");
}

std::string order_difference(const std::vector<Inferred>& got,
                             const std::vector<Inferred>& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (text(got[i]) != text(expected[i])) {
      return fmt::format("{} is {}, in the order of the ports {}", got[i].name, text(got[i]),
                         text(expected[i]));
    }
  }
  return {};
}

std::string complete(const std::vector<Inferred>& outputs) {
  for (const Inferred& output : outputs) {
    if (output.is_value() ? !output.value : !output.dims)
      return output.name + " is " + text(output);
  }
  return {};
}

const Datum* expected_value(const OpCase& row, const std::string& port) {
  for (const auto& [name, content] : row.expect) {
    if (name == port && !content.list) return std::get_if<Datum>(&content.items.front());
  }
  return nullptr;
}

void check_folding(const OpCase& row, const std::vector<Inferred>& outputs, const std::string& how,
                   Report& report) {
  for (const Inferred& output : outputs) {
    if (!output.is_value()) continue;
    report.count(Check::folding, fmt::format("value of {} from {}", output.name, how), [&] {
      const Datum* expected = expected_value(row, output.name);
      if (!expected) return std::string("the row does not say which value it expects");
      return output.value ? difference(*output.value, *expected) : "its value is not known";
    });
  }
}

}  // namespace

void check_inference(const OpDef& op, const OpCase& row, Report& report) {
  std::vector<Inferred> in_order;
  report.count(Check::order, "inference in the order of the ports", [&] {
    in_order = place(op, row, Knowledge::numbers, 0);
    return complete(in_order);
  });
  if (in_order.empty()) return;
  check_folding(row, in_order, "numbers", report);
  for (const Knowledge knowledge : {Knowledge::numbers, Knowledge::symbols}) {
    for (std::uint64_t seed = 1; seed <= orders; ++seed) {
      report.count(Check::order,
                   fmt::format("inference from {} in random order, seed {}", name(knowledge), seed),
                   [&] {
                     const std::vector<Inferred> outputs = place(op, row, knowledge, seed);
                     if (seed == 1 && knowledge == Knowledge::symbols)
                       check_folding(row, outputs, "symbols", report);
                     return order_difference(outputs, in_order);
                   });
    }
  }
}

}  // namespace mithril::check
