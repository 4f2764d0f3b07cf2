// A progress bar for training loops.
#pragma once

#include <cstdint>
#include <iostream>
#include <map>
#include <string>

namespace mithril {

struct ProgressBarOptions {
  std::int64_t total = 0;             // rows, tokens or steps of the whole loop; 0: unknown
  std::string label = {};             // in front of the bar: "epoch 1/5"
  std::string unit = "samples";       // what is counted; the speed is in units per second
  bool leave = true;                  // whether the bar stays on the terminal at the end
  std::ostream* stream = &std::cerr;  // null: nothing is written
};

// A line with numbers, speed and time left, redrawn after steps, at most ten times per second.
// `fit` has one. Example:
//   ml::ProgressBar bar({.total = steps * tokens_of_batch, .unit = "tokens"});
//   for (...) {
//     double lr = optimizer.lr();
//     double loss = step(params, batch).at("final_cost").item();
//     bar.advance(tokens_of_batch, {{"loss", loss}, {"lr", lr}});
//   }
//   bar.close();  // "100% [====================] loss 2.1, lr 0.001, 5.3e+04 tokens/s, 0 s left"
class ProgressBar {
 public:
  using Numbers = std::map<std::string, double, std::less<>>;

  explicit ProgressBar(ProgressBarOptions options = {});

  // Call it after a step of `count` units. Shows the numbers in the order of their names.
  void advance(std::int64_t count, const Numbers& numbers = {});
  std::int64_t count() const { return count_; }                            // of all steps
  double seconds() const;                                                  // since it was made
  double rate() const { return static_cast<double>(count_) / seconds(); }  // units per second
  // Draws the bar a last time, or removes it from the terminal.
  void close();

 private:
  void draw();

  ProgressBarOptions options_;
  Numbers numbers_;  // of the last step
  std::int64_t count_ = 0;
  double began_, next_draw_;  // in seconds of std::chrono::steady_clock
  std::size_t drawn_ = 0;     // width of the bar
};

}  // namespace mithril
