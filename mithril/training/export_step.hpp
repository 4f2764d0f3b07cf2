// Makes the graph of a training step for files.
#pragma once

#include <cstddef>
#include <vector>

#include "mithril/compile/compiled_state.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"
#include "mithril/training/exported_step.hpp"

namespace mithril {

struct StepParts {
  const CompiledModel::Impl& compiled;  // without hooks
  Optimizer& optimizer;
  const TrainingOptions& options;
  const std::vector<size_t>& of;  // the outputs whose gradients come in
  const std::vector<Tensor>& incoming;
  const State& state;
  std::vector<NamedIndex> trained = {};
};

// `params`: all of them, in the dtypes of the model. The errors of TrainingStep::exported.
ExportedStep export_step(const StepParts& step, const TensorMap& params);

}  // namespace mithril
