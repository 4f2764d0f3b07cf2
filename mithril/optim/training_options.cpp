#include "mithril/optim/training_options.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

void require_above_zero(const char* option, std::optional<double> got) {
  if (!got || *got > 0) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("training step: {} is {}, expected above 0", option, *got)});
}

}  // namespace

void TrainingOptions::check() const {
  require_above_zero("max_norm", max_norm);
  require_above_zero("max_value", max_value);
}

}  // namespace mithril
