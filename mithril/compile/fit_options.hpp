// The options and the result of `fit`.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mithril/compile/batches.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/evaluation/evaluator.hpp"

namespace mithril {

// The numbers of one epoch: "loss", "lr", "samples_per_second" (or "tokens_per_second"), and with
// validation "validation_loss" and the metrics.
using EpochNumbers = std::map<std::string, double, std::less<>>;

struct History {
  TensorMap params;  // after the last epoch
  TensorMap best;    // parameters of the epoch with the lowest monitored loss
  State best_state;  // running statistics and random keys of that epoch
  std::vector<EpochNumbers> epochs;
  std::int64_t best_epoch = -1;
};

// Returns the mean of the rows of a batch.
using MetricFunction = std::function<double(const TensorMap& outputs, const TensorMap& batch)>;

struct FitOptions {
  std::int64_t epochs = 1;          // in all, those before the checkpoint included
  TensorMap* params = nullptr;      // updated in place; null: training begins with get_parameters()
  std::int64_t batch_size = 32;     // rows of arrays in a batch; the last batch may be short
  std::string loss = "final_cost";  // a scalar output that is a mean
  // Evaluated after each epoch in inference mode, in order.
  std::optional<BatchSource> validation = {};
  std::map<std::string, MetricFunction> metrics = {};  // of the validation
  // Likewise, over all its batches: they read outputs and inputs by key. Each epoch resets them.
  std::map<std::string, evaluation::Evaluator*> evaluators = {};
  bool averages = false;  // validate with the averages of the step, and keep them as the best
  // Training ends after this number of epochs without a new minimum of the monitored loss, which is
  // "validation_loss" with validation and otherwise "loss".
  std::optional<std::int64_t> patience = {};
  // Called after each epoch; true ends training.
  std::vector<std::function<bool(const History&)>> callbacks = {};
  // A folder for last.safetensors and best.safetensors (for `load`). A run that finds
  // last.safetensors of C++ or Python there continues from it, with the same bits as a run without
  // interruption.
  std::string checkpoint = {};
  std::string tokens = {};  // an input whose elements are counted instead of rows
  // Gets a bar with loss, learning rate, speed and time left, and a line after each epoch; null:
  // nothing is written.
  std::ostream* progress = &std::cerr;
  std::uint64_t seed = 0;  // of the shuffling
};

}  // namespace mithril
