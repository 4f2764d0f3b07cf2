#include "mithril/check/run_rows.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"
#include "mithril/check/placement.hpp"
#include "mithril/check/resized.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::check {
namespace {

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t variants = 3;  // of the row in other sizes, one seed each

class RowRun {
 public:
  RowRun(const OpDef& op, const OpCase& row, Report& report, const GraphCheck& graphs)
      : op_(op), row_(row), report_(report), graphs_(graphs) {}

  void run() {
    enter("");
    if (!row_.error.empty()) return check_refusal(op_, row_, report_);
    std::optional<bool> values;
    report_.attempt(Check::evaluation, "inference", [&] { values = makes_values(op_, row_); });
    if (!values) return;
    if (*values) return check_inference(op_, row_, report_);
    if (!check_tensors(row_, first_seed, gradient_seeds)) return;
    check_inference(op_, row_, report_);
    for (std::uint64_t variant = 1; variant <= variants; ++variant) {
      const std::optional<OpCase> other = resized(row_, variant);
      if (!other || !is_accepted(op_, *other)) continue;
      enter(", in other sizes " + sizes_text(*other));
      check_tensors(*other, first_seed + static_cast<std::uint64_t>(gradient_seeds) + variant, 1);
    }
    for (const std::int64_t size : {0, 1}) check_size(size);
  }

 private:
  void enter(const std::string& which) {
    report_.enter(fmt::format("{}, {}{}", op_.name, row_.name, which));
  }

  // False: eval does not give the inferred dims and dtypes, and nothing else was checked.
  bool check_tensors(const OpCase& row, std::uint64_t seed, int count) {
    if (!check_evaluation(op_, row, report_, seed, graphs_)) return false;
    check_formula(op_, row, report_, seed);
    report_.attempt(Check::precision, "precision",
                    [&] { check_precision(op_, row, report_, seed, graphs_); });
    report_.attempt(Check::gradient, "gradients",
                    [&] { check_gradients(op_, row, report_, seed, count, graphs_); });
    return true;
  }

  // The op may refuse such sizes, also in eval.
  void check_size(std::int64_t size) {
    const std::optional<OpCase> other = with_sizes(row_, size);
    if (!other || !is_evaluated(op_, *other)) return;
    enter(", in sizes " + sizes_text(*other));
    if (!check_evaluation(op_, *other, report_, first_seed, graphs_)) return;
    report_.attempt(Check::gradient, "gradients",
                    [&] { check_gradients(op_, *other, report_, first_seed, 1, graphs_); });
  }

  const OpDef& op_;
  const OpCase& row_;
  Report& report_;
  const GraphCheck& graphs_;
};

}  // namespace

void run_row(const OpDef& op, const OpCase& row, Report& report, const GraphCheck& graphs) {
  RowRun(op, row, report, graphs).run();
}

}  // namespace mithril::check
