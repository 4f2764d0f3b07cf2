// A training loop with validation, early stopping and checkpoints, to use or to copy.
#pragma once

#include "mithril/training/fit_options.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

// Calls `step` for all batches of `data` in each epoch. Arrays are shuffled anew in each epoch. The
// first tensor of a batch counts its rows, which weight the means. A second call with the same step
// continues from the parameters and the epoch where the first one ended: two calls of 3 epochs have
// the same bits as one of 6. ValueError E0416 for an option
// out of range, E0419 for a loss that is not finite; InputError E0840 for arrays of different
// lengths, E0841 for an epoch without batches, E0843 for metrics without validation, E0844 for a
// last.safetensors that fit did not write; NameError E0606 for an unknown loss, input of
// tokens or number to monitor; StateError E0901 for other parameters, E0911 for averages that the
// step does not keep, E0914 for an optimizer that has trained parameters which fit does not know;
// otherwise as TrainingStep, infer, load_safetensors and save_safetensors. Example:
//   ml::TrainingStep step(compiled, optimizer);
//   ml::History history = ml::fit(step, train, {.epochs = 20, .validation = held_out});
//   ml::CompiledModel deployed = compiled.bind(history.best, history.best_state);
History fit(TrainingStep& step, const BatchSource& data, const FitOptions& options);

}  // namespace mithril
