// The validation of `fit`.
#pragma once

#include <cstdint>

#include "mithril/training/fit_options.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

// The means of the loss and of the metrics by rows, and the results of the evaluators. Random
// numbers differ from batch to batch; the state of the step stays. The processes of a group take
// the batches in turn and exchange what they give, so all of them return the bits of one process.
// If the state changes in inference, or an evaluator cannot be packed, each process evaluates all
// batches. ValueError E0419, InputError E0841, and errors of evaluate, metrics and evaluators.
EpochNumbers validate(const TrainingStep& step, const TensorMap& params, const BatchSource& data,
                      const FitOptions& options, std::int64_t epoch, std::int64_t epochs_before);

// ValueError E0419 for a loss that is not finite. `of` is "loss" or "validation loss"; `epoch`
// counts from 0, `step` from 1.
void require_finite(double loss, const char* of, std::int64_t epoch, std::int64_t step);

}  // namespace mithril
