// The progress bar of `fit`.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "mithril/compile/fit_options.hpp"

namespace mithril {

// One epoch: a bar that is drawn again after batches, at most ten times in a second, and a line
// that replaces it.
class Progress {
 public:
  // `total` counts rows or tokens; 0: unknown. Writes nothing if options.progress is null.
  Progress(const FitOptions& options, std::int64_t epoch, std::int64_t total);

  // After a batch of `count` rows or tokens; `loss` is the mean of the epoch.
  void advance(std::int64_t count, double loss, double lr);
  double rate() const;  // rows or tokens per second
  // At the end of the epoch, validation included.
  void finish(const EpochNumbers& numbers);

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const;
  void draw(double loss, double lr);

  const FitOptions& options_;
  std::string label_;
  std::int64_t epochs_left_, total_, count_ = 0;
  Clock::time_point began_ = Clock::now(), next_draw_ = began_;
  std::size_t drawn_ = 0;  // width of the bar
};

}  // namespace mithril
