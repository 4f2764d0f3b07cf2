#include "mithril/optim/training_options.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

template <typename Number>
void require_of_step(bool holds, const char* option, Number got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("training step: {} is {}, expected {}", option, got, expected)});
}

}  // namespace

double TrainingOptions::average_weight(std::int64_t steps, std::int64_t averaged) const {
  if (const EMA* ema = std::get_if<EMA>(&average)) return averaged == 0 ? 1 : 1 - ema->decay;
  const SWA* swa = std::get_if<SWA>(&average);
  if (!swa || steps <= swa->start || (steps - swa->start) % swa->every != 0) return 0;
  return 1 / static_cast<double>(averaged + 1);
}

void TrainingOptions::check() const {
  if (max_norm) require_of_step(*max_norm > 0, "max_norm", *max_norm, "above 0");
  if (max_value) require_of_step(*max_value > 0, "max_value", *max_value, "above 0");
  require_of_step(accumulate >= 1, "accumulate", accumulate, "at least 1");
  if (const EMA* ema = std::get_if<EMA>(&average)) {
    require_of_step(ema->decay >= 0 && ema->decay < 1, "decay", ema->decay,
                    "at least 0 and below 1");
  }
  if (const SWA* swa = std::get_if<SWA>(&average)) {
    require_of_step(swa->start >= 0, "start", swa->start, "at least 0");
    require_of_step(swa->every >= 1, "every", swa->every, "at least 1");
  }
}

}  // namespace mithril
