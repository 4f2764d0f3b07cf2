#include "mithril/compile/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/compile/checkpoint.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril {
namespace {

// ---- arguments ----

void require_at_least(std::int64_t least, const char* option, std::int64_t got) {
  if (got >= least) return;
  raise({.kind = ErrorKind::value,
         .code = "E0416",
         .message = fmt::format("fit: {} is {}, expected at least {}", option, got, least)});
}

void require_known(const char* what, const std::string& name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  unknown_name(ErrorKind::name, "E0606", what, name, "", known);
}

void check_arguments(const CompiledModel& model, const BatchSource& data,
                     const FitOptions& options) {
  check_lengths("data", data);
  if (options.validation) check_lengths("validation", *options.validation);
  require_at_least(0, "epochs", options.epochs);
  require_at_least(1, "batch_size", options.batch_size);
  require_at_least(1, "patience", options.patience.value_or(1));
  require_known("output", options.loss, model.output_keys());
  if (!options.tokens.empty()) require_known("input", options.tokens, model.input_keys());
  if (options.metrics.empty() || options.validation) return;
  raise({.kind = ErrorKind::input,
         .code = "E0843",
         .message = "fit: metrics are measured in validation, and there is none",
         .help = "set .validation"});
}

void require_rows(std::int64_t rows, std::int64_t epoch) {
  if (rows > 0) return;
  raise({.kind = ErrorKind::input,
         .code = "E0841",
         .message = fmt::format("fit: there are no batches in epoch {}", epoch + 1),
         .help = "a function returns batches from index 0 on in each epoch"});
}

// ---- epochs ----

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

EpochNumbers train_epoch(TrainingStep& step, TensorMap& params, const BatchSource& data,
                         const FitOptions& options, std::int64_t epoch) {
  const Clock::time_point began = Clock::now();
  Batches batches(data, options.batch_size, epoch, options.seed);
  std::int64_t samples = 0, tokens = 0;
  double total = 0, lr = 0;
  while (const std::optional<TensorMap> batch = batches.next()) {
    const std::int64_t rows = count_rows(*batch);
    lr = step.optimizer().lr();
    total += static_cast<double>(rows) * step(params, *batch).at(options.loss).item();
    samples += rows;
    if (!options.tokens.empty()) tokens += batch->at(options.tokens).size();
  }
  require_rows(samples, epoch);
  const double rate =
      static_cast<double>(options.tokens.empty() ? samples : tokens) / seconds_since(began);
  return {{"loss", total / static_cast<double>(samples)},
          {"lr", lr},
          {options.tokens.empty() ? "samples_per_second" : "tokens_per_second", rate}};
}

// The means of the loss and of the metrics, by rows.
EpochNumbers validated(const TrainingStep& step, const TensorMap& params, const FitOptions& options,
                       std::int64_t epoch) {
  const CompiledModel model = step.model();
  EpochNumbers means;
  std::int64_t samples = 0;
  Batches batches(*options.validation, options.batch_size, epoch);
  while (const std::optional<TensorMap> batch = batches.next()) {
    const TensorMap outputs = model.infer(params, *batch, step.state());
    const std::int64_t rows = count_rows(*batch);
    samples += rows;
    means["validation_loss"] += static_cast<double>(rows) * outputs.at(options.loss).item();
    for (const auto& [name, metric] : options.metrics)
      means[name] += static_cast<double>(rows) * metric(outputs, *batch);
  }
  require_rows(samples, epoch);
  for (auto& [name, mean] : means) mean /= static_cast<double>(samples);
  return means;
}

bool is_best(const History& history, std::string_view monitor) {
  if (history.best_epoch < 0) return true;
  const auto loss_of = [&](const EpochNumbers& numbers) {
    const auto found = numbers.find(monitor);  // epochs before the checkpoint may lack it
    return found == numbers.end() ? std::nan("") : found->second;
  };
  const double best = loss_of(history.epochs[static_cast<size_t>(history.best_epoch)]);
  const double last = loss_of(history.epochs.back());
  return last < best || (std::isnan(best) && !std::isnan(last));
}

bool is_over(const History& history, const FitOptions& options) {
  const std::int64_t epochs = std::ssize(history.epochs);
  return epochs >= options.epochs ||
         (options.patience && epochs - 1 - history.best_epoch >= *options.patience);
}

// ---- checkpoints ----

std::string epoch_prefix(std::int64_t epoch) { return fmt::format("epoch {}:", epoch); }

void save_epoch(const std::filesystem::path& folder, const TrainingStep& step,
                const History& history) {
  std::error_code ignored;  // saving fails without the folder
  std::filesystem::create_directories(folder, ignored);
  const std::int64_t epochs = std::ssize(history.epochs);
  if (history.best_epoch == epochs - 1)
    save((folder / "best.safetensors").string(), history.best, {.state = &history.best_state});
  // This file is the last, because it says that the epoch is over.
  TensorMap all = history.params.with_prefix("params:");
  all.merge(step.state().with_prefix("state:"));
  all.merge(step.optimizer().state_dict().with_prefix("optimizer:"));
  all.merge(history.best.with_prefix("best:"));
  all.merge(history.best_state.with_prefix("best_state:"));
  all["best_epoch"] = Tensor::scalar(history.best_epoch);
  for (std::int64_t i = 0; i < epochs; ++i) {
    for (const auto& [name, number] : history.epochs[static_cast<size_t>(i)])
      all[epoch_prefix(i) + name] = Tensor::scalar(number);
  }
  save_safetensors((folder / "last.safetensors").string(), all);
}

void resume(const std::filesystem::path& folder, TrainingStep& step, History& history) {
  const std::filesystem::path path = folder / "last.safetensors";
  if (!std::filesystem::exists(path)) return;
  // Copied, because the file will be replaced.
  const TensorMap all = load_safetensors(path.string()).tensors.copy();
  const CompiledModel model = step.model();
  history.best_epoch = all.at("best_epoch").values<std::int64_t>()[0];
  history.params = model.load_state_dict(all.without_prefix("params:"));
  history.best = model.load_state_dict(all.without_prefix("best:"));
  history.best_state = State(all.without_prefix("best_state:"));
  step.set_state(State(all.without_prefix("state:")));
  step.optimizer().load_state_dict(all.without_prefix("optimizer:"));
  for (std::int64_t i = 0;; ++i) {
    EpochNumbers numbers;
    for (const auto& [name, number] : all.without_prefix(epoch_prefix(i)))
      numbers[name] = number.item();
    if (numbers.empty()) break;
    history.epochs.push_back(std::move(numbers));
  }
}

void print(const EpochNumbers& numbers, std::int64_t epoch, double seconds,
           const FitOptions& options) {
  if (!options.progress) return;
  *options.progress << fmt::format("epoch {}/{}: ", epoch + 1, options.epochs);
  for (const auto& [name, number] : numbers)
    *options.progress << fmt::format("{} {:.4g}, ", name, number);
  const double left = seconds * static_cast<double>(options.epochs - epoch - 1);
  *options.progress << fmt::format("{:.0f} s left", left) << std::endl;
}

}  // namespace

History fit(TrainingStep& step, const BatchSource& data, const FitOptions& options) try {
  const CompiledModel model = step.model();
  check_arguments(model, data, options);
  History history;
  if (options.params) model.load_state_dict(*options.params);  // checks them
  history.params = options.params ? options.params->share() : model.get_parameters();
  const auto weights = [&] {
    return options.averages ? step.averages(history.params) : history.params.copy();
  };
  history.best = weights();
  history.best_state = step.state();
  if (!options.checkpoint.empty()) resume(options.checkpoint, step, history);
  if (options.params) *options.params = history.params.share();
  bool ended = false;
  while (!ended && !is_over(history, options)) {
    const Clock::time_point began = Clock::now();
    const std::int64_t epoch = std::ssize(history.epochs);
    EpochNumbers numbers = train_epoch(step, history.params, data, options, epoch);
    if (options.validation) numbers.merge(validated(step, weights(), options, epoch));
    print(numbers, epoch, seconds_since(began), options);
    history.epochs.push_back(std::move(numbers));
    if (is_best(history, options.validation ? "validation_loss" : "loss")) {
      history.best_epoch = epoch;
      history.best = weights();
      history.best_state = step.state();
    }
    if (!options.checkpoint.empty()) save_epoch(options.checkpoint, step, history);
    for (const auto& callback : options.callbacks) ended |= callback(history);
  }
  return history;
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
