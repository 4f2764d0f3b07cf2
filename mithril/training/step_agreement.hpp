// What the processes of a group compare before the first step.
#pragma once
#include <string>

#include "mithril/compile/agreement.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"

namespace mithril {

// The options and the counts. The schedule is not among them.
AgreementEntries agreement_on(const Optimizer& optimizer, const TrainingOptions& options);
// Adds what the optimizer keeps for a parameter, except sums of gradients and blocks of memory,
// which differ between processes.
void add_memory(AgreementEntries& entries, const Optimizer& optimizer,
                const TrainingOptions& options, const std::string& key);

}  // namespace mithril
