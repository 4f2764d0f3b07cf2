// The options and the result of `fit`.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/metrics/evaluator.hpp"
#include "mithril/training/batches.hpp"

namespace mithril {

// The numbers of one epoch: "loss", "lr", "samples_per_second" (or "tokens_per_second"), and with
// validation "validation_loss" and the metrics.
using EpochNumbers = std::map<std::string, double, std::less<>>;

struct History {
  TensorMap params;  // after the last epoch
  TensorMap best;    // parameters of the best epoch; they and the monitored number are finite
  State best_state;  // running statistics and random keys of that epoch
  std::vector<EpochNumbers> epochs;
  std::int64_t best_epoch = 0;  // counts from 1, as the progress does; 0: none, best is the start
};

// Returns the mean of the rows of a batch.
using MetricFunction = std::function<double(const TensorMap& outputs, const TensorMap& batch)>;

enum class Extremum { min, max };

struct FitOptions {
  std::int64_t epochs = 1;  // in all, those before the checkpoint included
  // Updated in place; null: those of the previous fit with this step, and at first
  // get_parameters().
  TensorMap* params = nullptr;
  std::int64_t batch_size = 32;     // rows of arrays in a batch; the last batch may be short
  std::string loss = "final_cost";  // a scalar output that is a mean
  // A weight for each row of arrays, for a model whose loss reads the input "sample_weight" (see
  // LossOptions). Validation without weights has ones.
  std::optional<Tensor> sample_weight = {};
  // Evaluated after each epoch in inference mode, in order.
  std::optional<BatchSource> validation = {};
  std::map<std::string, MetricFunction> metrics = {};  // of the validation
  // Likewise, over all its batches: they read outputs and inputs by key. Each epoch resets them.
  std::map<std::string, mithril::metrics::Evaluator*> evaluators = {};
  bool averages = false;  // validate with the averages of the step, and keep them as the best
  // The fraction of the rows of arrays, the last ones, that is the validation instead of training.
  double validation_split = 0;
  // The number of an epoch that says which one is the best; empty: "validation_loss" if there is
  // validation, otherwise "loss".
  std::string monitor = {};
  Extremum mode = Extremum::min;  // the best number is the smallest or the largest
  // Training ends after this number of epochs without a new best one.
  std::optional<std::int64_t> patience = {};
  bool allow_nan = false;  // continue after a loss that is NaN or infinite
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
  bool shuffle = true;     // the rows of arrays, anew in each epoch
  std::uint64_t seed = 0;  // of the shuffling
};

}  // namespace mithril
