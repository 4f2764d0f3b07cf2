// Learning rates that change with the number of steps.
#pragma once

#include <cstdint>
#include <variant>

namespace mithril {

// The rate of the step after `t` steps, for each of the structs below; `t` begins at 0. Rates rise
// linearly from warmup_start * lr to lr in the first `warmup` steps. After the last of its steps a
// schedule keeps its last rate. Rates equal those of torch.optim.lr_scheduler to rounding.

// Constant after the warm-up: LinearLR, then the rate of the optimizer.
struct ConstantSchedule {
  double lr = 1e-3;
  std::int64_t warmup = 0;
  double warmup_start = 0;
};

// A rate from lr to end along half a cosine: LinearLR, then CosineAnnealingLR(T_max=steps - warmup,
// eta_min=end). `steps` includes the warm-up.
struct CosineSchedule {
  double lr = 1e-3;
  std::int64_t steps = 0;
  std::int64_t warmup = 0;
  double warmup_start = 0;
  double end = 0;  // a rate
};

// A rate from lr to end along a line: LinearLR twice. `steps` includes the warm-up.
struct LinearSchedule {
  double lr = 1e-3;
  std::int64_t steps = 0;
  std::int64_t warmup = 0;
  double warmup_start = 0;
  double end = 0;  // a rate
};

// Multiplied by gamma after each step_size steps: StepLR.
struct StepSchedule {
  double lr = 1e-3;
  std::int64_t step_size = 0;
  double gamma = 0.1;
};

// A rate from lr / div_factor up to lr, and down to lr / (div_factor * final_div_factor), along
// cosines: OneCycleLR, which also changes momentum (this does not).
struct OneCycleSchedule {
  double lr = 1e-3;  // the largest rate
  std::int64_t steps = 0;
  double pct_start = 0.3;  // the part of the steps in which the rate rises
  double div_factor = 25;
  double final_div_factor = 1e4;
};

// A learning rate: a number, or one of the schedules above. Example:
//   ml::AdamW optimizer({.lr = ml::CosineSchedule{.lr = 1e-3, .steps = 1000, .warmup = 100}});
class Schedule {
 public:
  using Rule = std::variant<double, ConstantSchedule, CosineSchedule, LinearSchedule, StepSchedule,
                            OneCycleSchedule>;

  // ValueError E0406 for a negative rate, and for options of a schedule out of range.
  Schedule(double lr);
  Schedule(const ConstantSchedule& schedule);
  Schedule(const CosineSchedule& schedule);
  Schedule(const LinearSchedule& schedule);
  Schedule(const StepSchedule& schedule);
  Schedule(const OneCycleSchedule& schedule);

  // The rate of the step after `steps` steps.
  double at(std::int64_t steps) const;
  bool is_number() const { return std::holds_alternative<double>(rule_); }
  const Rule& rule() const { return rule_; }

 private:
  Rule rule_;
};

}  // namespace mithril
