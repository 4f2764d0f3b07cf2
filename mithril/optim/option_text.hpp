// Texts of options that are no single numbers, so that processes can compare them.
#pragma once
#include <string>

#include "mithril/optim/schedule.hpp"
#include "mithril/optim/training_options.hpp"

namespace mithril {

std::string to_string(const Schedule& schedule);  // "step, lr 0.1, step_size 30, gamma 0.1"
std::string average_text(const TrainingOptions& options);  // "EMA, decay 0.9", "none"

}  // namespace mithril
