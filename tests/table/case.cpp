#include "tests/table/case.hpp"

#include <algorithm>

namespace mithril::tests {
namespace {

std::vector<OpCases>& registered() {
  static std::vector<OpCases> cases;
  return cases;
}

}  // namespace

RegisterOpCases::RegisterOpCases(std::string_view op, std::vector<OpCase> (*rows)()) {
  registered().push_back({op, rows});
}

std::vector<OpCases> all_op_cases() {
  std::vector<OpCases> cases = registered();
  std::sort(cases.begin(), cases.end(),
            [](const OpCases& a, const OpCases& b) { return a.op < b.op; });
  return cases;
}

}  // namespace mithril::tests
