// The checkpoints of `fit`.
#pragma once

#include <functional>
#include <string>

#include "mithril/training/fit_options.hpp"
#include "mithril/training/training_step.hpp"

namespace mithril {

class FitFiles {
 public:
  // An empty folder: there are no files.
  explicit FitFiles(const std::string& folder) : folder_(folder) {}

  // Before training begins. InputError E0831.
  void create() const;
  // Continues the run whose files are there; false if there are none. `epochs_before` are those of
  // earlier calls of fit. `weights` are the parameters to keep as the best.
  bool resume(TrainingStep& step, History& history, std::int64_t& epochs_before,
              const std::function<TensorMap()>& weights) const;
  void save_epoch(const TrainingStep& step, const History& history,
                  std::int64_t epochs_before) const;

 private:
  void read(TrainingStep& step, History& history, std::int64_t& epochs_before,
            const std::function<TensorMap()>& weights) const;
  void save_best(const History& history) const;

  std::string folder_, last_ = folder_ + "/last.safetensors", best_ = folder_ + "/best.safetensors";
};

}  // namespace mithril
