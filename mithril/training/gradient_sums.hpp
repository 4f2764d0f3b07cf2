// Sums of gradients that steps of training accumulate.
#pragma once

#include <cstdint>

#include "mithril/distributed/communicator.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"

namespace mithril {

// Raises an error if an update would drop what the optimizer holds: StateError E0915 for sums of at
// least options.accumulate gradients, which come from a step with a larger one, and E0927 for
// averages without options.average.
void check_kept(const Optimizer& optimizer, const TrainingOptions& options);
// StateError E0915 if the optimizer holds sums, since none of them is of this parameter.
void check_first_gradient(const Optimizer& optimizer, const std::string& key);

// The next sums begin with zeros, also those of parameters that are frozen now.
void clear_gradient_sums(Optimizer& optimizer);

// Each process accumulates the gradients of its rows, so the sum over the batch is the sum over the
// processes. Gives that sum to the first process, and zeros to the others: a checkpoint of the
// first process is one of all. DistributedError if the exchange fails; the sums are lost then.
void collect_gradient_sums(Optimizer& optimizer, Communicator& group);

// What the processes have after each of them has read such a checkpoint: only the first one keeps
// the sums.
void keep_gradient_sums_of_first(Optimizer& optimizer, const Communicator& group);

}  // namespace mithril
