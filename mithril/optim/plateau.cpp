#include "mithril/optim/plateau.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"

namespace mithril {

Plateau::Plateau(const PlateauOptions& options) : options_(options) {
  require_option(options.factor > 0 && options.factor < 1, "factor", options.factor,
                 "above 0 and below 1");
  require_option(options.patience >= 0, "patience", static_cast<double>(options.patience),
                 "at least 0");
  require_option(options.threshold >= 0, "threshold", options.threshold, "at least 0");
  require_option(options.cooldown >= 0, "cooldown", static_cast<double>(options.cooldown),
                 "at least 0");
  require_option(options.min_lr >= 0, "min_lr", options.min_lr, "at least 0");
  if (options.maximize) state_.best = -state_.best;
}

bool Plateau::is_better(double score) const {
  const double sign = options_.maximize ? 1 : -1;
  const double limit = options_.absolute ? state_.best + sign * options_.threshold
                                         : state_.best * (1 + sign * options_.threshold);
  return options_.maximize ? score > limit : score < limit;
}

bool Plateau::update(Optimizer& optimizer, double score) {
  if (!optimizer.schedule().is_number()) {
    raise({.kind = ErrorKind::state,
           .code = "E0918",
           .message = "a plateau reduces a learning rate that is a number, and this one is a "
                      "schedule",
           .help = "give the optimizer a number as lr"});
  }
  if (is_better(score)) {
    state_.best = score;
    state_.bad = 0;
  } else {
    ++state_.bad;
  }
  if (state_.cooldown > 0) {
    --state_.cooldown;
    state_.bad = 0;
  }
  if (state_.bad <= options_.patience) return false;
  state_.cooldown = options_.cooldown;
  state_.bad = 0;
  constexpr double least_change = 1e-8;  // that of PyTorch
  const double lr = std::max(optimizer.lr() * options_.factor, options_.min_lr);
  if (optimizer.lr() - lr <= least_change) return false;
  optimizer.set_lr(lr);
  return true;
}

}  // namespace mithril
