#include "tests/table/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/table/checks.hpp"
#include "tests/table/placement.hpp"
#include "tests/table/resized.hpp"

namespace mithril::tests {
namespace {

constexpr std::uint64_t first_seed = 1;
constexpr int seeds = 6;               // of the row as it stands
constexpr std::uint64_t variants = 3;  // of the row in other sizes, one seed each

void check_tensors(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                   int gradient_seeds) {
  check_evaluation(op, row, report, seed);
  report.attempt(Check::precision, "precision", [&] { check_precision(op, row, report, seed); });
  report.attempt(Check::gradient, "gradients",
                 [&] { check_gradients(op, row, report, seed, gradient_seeds); });
}

}  // namespace

void run_row(const OpDef& op, const OpCase& row, Report& report) {
  report.enter(op.name + ", " + row.name);
  if (!row.error.empty()) return check_refusal(op, row, report);
  check_inference(op, row, report);
  bool values = true;
  report.attempt(Check::evaluation, "inference", [&] { values = makes_values(op, row); });
  if (values) return;
  check_tensors(op, row, report, first_seed, seeds);
  for (std::uint64_t variant = 1; variant <= variants; ++variant) {
    const std::optional<OpCase> other = resized(row, variant);
    if (!other || !is_accepted(op, *other)) continue;
    report.enter(fmt::format("{}, {}, in other sizes {}", op.name, row.name, sizes_text(*other)));
    check_tensors(op, *other, report, first_seed + static_cast<std::uint64_t>(seeds) + variant, 1);
  }
}

void run_op(const OpDef& op, const std::vector<OpCase>& rows, Report& report) {
  for (const OpCase& row : rows) run_row(op, row, report);
  report.enter(op.name);
  check_completeness(op, rows, report);
}

}  // namespace mithril::tests
