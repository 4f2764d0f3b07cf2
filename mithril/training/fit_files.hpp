// The checkpoints of `fit`.
#pragma once

#include <functional>
#include <string>

#include "mithril/distributed/communicator.hpp"
#include "mithril/training/fit_options.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

class FitFiles {
 public:
  // An empty folder: there are no files. The processes of the group write together
  // (TrainingStep::save_together); null: this process alone. The group outlives it.
  FitFiles(const std::string& folder, Communicator* group) : folder_(folder), group_(group) {}

  // Before training begins. InputError E0831.
  void create() const;
  // Continues the run whose files are there; false if there are none. `epochs_before` are those of
  // earlier calls of fit. `weights` are the parameters to keep as the best.
  bool resume(TrainingStep& step, History& history, std::int64_t& epochs_before,
              const std::function<TensorMap()>& weights) const;
  void save_epoch(TrainingStep& step, const History& history, std::int64_t epochs_before) const;

 private:
  void read(TrainingStep& step, History& history, std::int64_t& epochs_before,
            const std::function<TensorMap()>& weights) const;
  static bool replaces_best(const History& history);
  void save_best(const TrainingStep& step, const History& history) const;
  bool writes() const { return !group_ || group_->rank() == 0; }

  std::string folder_;
  Communicator* group_;
  std::string last_ = folder_ + "/last.safetensors", best_ = folder_ + "/best.safetensors";
};

}  // namespace mithril
