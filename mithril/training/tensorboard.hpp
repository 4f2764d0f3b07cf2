// Logs of training runs for TensorBoard.
#pragma once

#include <string>

#include "mithril/training/fit_options.hpp"

namespace mithril {

// A callback of `fit` that logs the numbers of each epoch. It needs no library of TensorBoard. A
// run that continues from its checkpoint continues the log. Example:
//   ml::fit(step, data, {.epochs = 10, .callbacks = {ml::TensorBoard("logs/first")}});
class TensorBoard {
 public:
  // Makes the folder and a new file of events in it. InputError E0831 if it cannot be written.
  explicit TensorBoard(const std::string& folder);

  // Logs numbers at an epoch or a step, for a loop of your own. Errors as above.
  void add(std::int64_t step, const EpochNumbers& numbers) const;
  // Logs the numbers of the last epoch, and returns false: training continues.
  bool operator()(const History& history) const;

 private:
  std::string path_;
};

}  // namespace mithril
