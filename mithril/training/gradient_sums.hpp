// Sums of gradients that steps of training accumulate.
#pragma once

#include <cstdint>

#include "mithril/distributed/communicator.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

// Raises StateError E0915 if the optimizer holds sums of at least `accumulate` gradients. Such sums
// come from a step with a larger `accumulate`. An update would divide them by the wrong number, or
// drop them.
void check_gradient_sums(const Optimizer& optimizer, std::int64_t accumulate);

// Each process accumulates the gradients of its rows, so the sum over the batch is the sum over the
// processes. Gives that sum to the first process, and zeros to the others: a checkpoint of the
// first process is one of all. DistributedError if the exchange fails; the sums are lost then.
void collect_gradient_sums(Optimizer& optimizer, Communicator& group);

// What the processes have after each of them has read such a checkpoint: only the first one keeps
// the sums.
void keep_gradient_sums_of_first(Optimizer& optimizer, const Communicator& group);

}  // namespace mithril
