// Logs of training runs for TensorBoard.
#pragma once

#include <memory>
#include <string>

#include "mithril/training/fit_options.hpp"

namespace mithril {

// A callback of `fit` that logs the numbers of each epoch. It needs no library of TensorBoard. A
// run that continues from its checkpoint continues the log. On several processes `fit` calls it on
// the first one only. Example:
//   ml::fit(step, data, {.epochs = 10, .callbacks = {ml::TensorBoard("logs/first")}});
class TensorBoard {
 public:
  // Makes the folder. InputError E0831 if it cannot be made.
  explicit TensorBoard(const std::string& folder);

  // Logs numbers at an epoch or a step, for a loop of your own. The first call makes a new file of
  // events. InputError E0831 if it cannot be written.
  void add(std::int64_t step, const EpochNumbers& numbers) const;
  // Logs the numbers of the last epoch, and returns false: training continues.
  bool operator()(const History& history) const;

 private:
  std::string folder_;
  // The path of the file; empty: not made yet. Shared, because copies write to one file.
  std::shared_ptr<std::string> path_ = std::make_shared<std::string>();
};

}  // namespace mithril
