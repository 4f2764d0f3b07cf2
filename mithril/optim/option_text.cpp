#include "mithril/optim/option_text.hpp"

#include <fmt/format.h>

namespace mithril {
namespace {

std::string text(double lr) { return fmt::format("lr {}", lr); }

std::string text(const ConstantSchedule& s) {
  return fmt::format("constant, lr {}, warmup {}, warmup_start {}", s.lr, s.warmup, s.warmup_start);
}

template <class Decay>
std::string decay_text(const char* name, const Decay& s) {
  return fmt::format("{}, lr {}, steps {}, warmup {}, warmup_start {}, end {}", name, s.lr, s.steps,
                     s.warmup, s.warmup_start, s.end);
}

std::string text(const CosineSchedule& s) { return decay_text("cosine", s); }
std::string text(const LinearSchedule& s) { return decay_text("linear", s); }

std::string text(const StepSchedule& s) {
  return fmt::format("step, lr {}, step_size {}, gamma {}", s.lr, s.step_size, s.gamma);
}

std::string text(const OneCycleSchedule& s) {
  return fmt::format("one cycle, lr {}, steps {}, pct_start {}, div_factor {}, final_div_factor {}",
                     s.lr, s.steps, s.pct_start, s.div_factor, s.final_div_factor);
}

std::string text(std::monostate) { return "none"; }
std::string text(const EMA& average) { return fmt::format("EMA, decay {}", average.decay); }
std::string text(const SWA& average) {
  return fmt::format("SWA, start {}, every {}", average.start, average.every);
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  return std::visit([](const auto& rule) { return text(rule); }, schedule.rule());
}

std::string average_text(const TrainingOptions& options) {
  return std::visit([](const auto& average) { return text(average); }, options.average);
}

}  // namespace mithril
