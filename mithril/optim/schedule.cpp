#include "mithril/optim/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

void require_of_schedule(bool holds, const char* schedule, const char* option, double got,
                         const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("{}: {} is {}, expected {}", schedule, option, got, expected)});
}

void check_warmup(const char* schedule, double lr, std::int64_t warmup, double start) {
  require_of_schedule(lr >= 0, schedule, "lr", lr, "at least 0");
  require_of_schedule(warmup >= 0, schedule, "warmup", static_cast<double>(warmup), "at least 0");
  require_of_schedule(start >= 0 && start <= 1, schedule, "warmup_start", start, "from 0 to 1");
}

template <typename Decay>
void check_decay(const char* schedule, const Decay& decay) {
  check_warmup(schedule, decay.lr, decay.warmup, decay.warmup_start);
  require_of_schedule(decay.steps > decay.warmup, schedule, "steps",
                      static_cast<double>(decay.steps), "more than the steps of the warm-up");
  require_of_schedule(decay.end >= 0, schedule, "end", decay.end, "at least 0");
}

// The progress from 0 to 1 in `steps` steps.
double progress(std::int64_t step, std::int64_t steps) {
  return std::clamp(static_cast<double>(step) / static_cast<double>(steps), 0.0, 1.0);
}

double on_line(double from, double to, double progress) { return from + (to - from) * progress; }

double on_cosine(double from, double to, double progress) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

template <typename Warming>
double warm(const Warming& schedule, std::int64_t step) {
  return schedule.lr * on_line(schedule.warmup_start, 1, progress(step, schedule.warmup));
}

double rate(double lr, std::int64_t) { return lr; }

double rate(const ConstantSchedule& schedule, std::int64_t step) {
  return step < schedule.warmup ? warm(schedule, step) : schedule.lr;
}

double rate(const CosineSchedule& schedule, std::int64_t step) {
  if (step < schedule.warmup) return warm(schedule, step);
  return on_cosine(schedule.lr, schedule.end,
                   progress(step - schedule.warmup, schedule.steps - schedule.warmup));
}

double rate(const LinearSchedule& schedule, std::int64_t step) {
  if (step < schedule.warmup) return warm(schedule, step);
  return on_line(schedule.lr, schedule.end,
                 progress(step - schedule.warmup, schedule.steps - schedule.warmup));
}

double rate(const StepSchedule& schedule, std::int64_t step) {
  return schedule.lr * std::pow(schedule.gamma, static_cast<double>(step / schedule.step_size));
}

double rate(const OneCycleSchedule& schedule, std::int64_t step) {
  const double first = schedule.lr / schedule.div_factor;
  const double end = static_cast<double>(schedule.steps - 1);
  const double top = schedule.pct_start * static_cast<double>(schedule.steps) - 1;
  const double at = std::min(static_cast<double>(step), end);
  if (at <= top) return on_cosine(first, schedule.lr, top == 0 ? 1 : at / top);
  return on_cosine(schedule.lr, first / schedule.final_div_factor, (at - top) / (end - top));
}

}  // namespace

Schedule::Schedule(double lr) : rule_(lr) {
  require_of_schedule(lr >= 0, "optimizer", "lr", lr, "at least 0");
}

Schedule::Schedule(const ConstantSchedule& schedule) : rule_(schedule) {
  check_warmup("constant schedule", schedule.lr, schedule.warmup, schedule.warmup_start);
}

Schedule::Schedule(const CosineSchedule& schedule) : rule_(schedule) {
  check_decay("cosine schedule", schedule);
}

Schedule::Schedule(const LinearSchedule& schedule) : rule_(schedule) {
  check_decay("linear schedule", schedule);
}

Schedule::Schedule(const StepSchedule& schedule) : rule_(schedule) {
  constexpr const char* name = "step schedule";
  require_of_schedule(schedule.lr >= 0, name, "lr", schedule.lr, "at least 0");
  require_of_schedule(schedule.step_size >= 1, name, "step_size",
                      static_cast<double>(schedule.step_size), "at least 1");
  require_of_schedule(schedule.gamma >= 0, name, "gamma", schedule.gamma, "at least 0");
}

Schedule::Schedule(const OneCycleSchedule& schedule) : rule_(schedule) {
  constexpr const char* name = "one-cycle schedule";
  require_of_schedule(schedule.lr >= 0, name, "lr", schedule.lr, "at least 0");
  require_of_schedule(schedule.steps >= 1, name, "steps", static_cast<double>(schedule.steps),
                      "at least 1");
  const double start = schedule.pct_start;
  require_of_schedule(start >= 0 && start <= 1, name, "pct_start", start, "from 0 to 1");
  require_of_schedule(schedule.div_factor > 0, name, "div_factor", schedule.div_factor,
                      "more than 0");
  require_of_schedule(schedule.final_div_factor > 0, name, "final_div_factor",
                      schedule.final_div_factor, "more than 0");
}

double Schedule::at(std::int64_t steps) const {
  return std::visit([&](const auto& schedule) { return rate(schedule, steps); }, rule_);
}

}  // namespace mithril
