// Sums of gradients that the processes of a group accumulate.
#pragma once

#include "mithril/distributed/communicator.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

// Each process accumulates the gradients of its rows, so the sum over the batch is the sum over the
// processes. Gives that sum to the first process, and zeros to the others: a checkpoint of the
// first process is one of all. DistributedError if the exchange fails; the sums are lost then.
void collect_gradient_sums(Optimizer& optimizer, Communicator& group);

// What the processes have after each of them has read such a checkpoint: only the first one keeps
// the sums.
void keep_gradient_sums_of_first(Optimizer& optimizer, const Communicator& group);

}  // namespace mithril
