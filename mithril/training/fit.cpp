#include "mithril/training/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "mithril/base/error.hpp"
#include "mithril/compile/agreement.hpp"
#include "mithril/compile/finite.hpp"
#include "mithril/distributed/communicator.hpp"
#include "mithril/distributed/or_abandon.hpp"
#include "mithril/training/fit_arguments.hpp"
#include "mithril/training/fit_files.hpp"
#include "mithril/training/progress_bar.hpp"
#include "mithril/training/tensorboard.hpp"
#include "mithril/training/validate.hpp"

namespace mithril {
namespace {

const char* unit_of(const FitOptions& options) {
  return options.tokens.empty() ? "samples" : "tokens";
}

// Rows or tokens.
std::int64_t counted(const TensorMap& batch, const FitOptions& options) {
  return options.tokens.empty() ? count_rows(batch) : batch.at(options.tokens).size();
}

// DistributedError E0964 unless all processes of the group have the same options and rows: each
// takes its part of them.
void agree_on_batch(const CompiledModel& model, const FitOptions& options, std::int64_t epoch,
                    std::int64_t steps, const TensorMap& batch) {
  Communicator* group = model.group().get();
  if (!group || group->size() == 1) return;
  AgreementEntries entries = {{"epochs", std::to_string(options.epochs)},
                              {"epoch", std::to_string(epoch)},
                              {"batch_size", std::to_string(options.batch_size)},
                              {"the number of batches", fmt::format("at least {}", steps + 1)}};
  add_tensors(entries, "the rows of", batch);
  agree(*group, "fit", entries);
}

// The same for the end of an epoch.
void agree_on_end(const CompiledModel& model, const FitOptions& options, std::int64_t epoch,
                  std::int64_t steps) {
  Communicator* group = model.group().get();
  if (!group || group->size() == 1) return;
  agree(*group, "fit",
        {{"epochs", std::to_string(options.epochs)},
         {"epoch", std::to_string(epoch)},
         {"batch_size", std::to_string(options.batch_size)},
         {"the number of batches", std::to_string(steps)}});
}

// `epochs_before` are those of earlier calls of fit.
EpochNumbers train_epoch(TrainingStep& step, TensorMap& params, const BatchSource& data,
                         const FitOptions& options, std::int64_t epoch, std::int64_t epochs_before,
                         ProgressBar& bar) {
  std::optional<std::uint64_t> seed;
  if (options.shuffle) seed = options.seed;
  Batches batches(data, options.batch_size, epochs_before + epoch, seed);
  std::int64_t samples = 0, steps = 0;
  double total = 0, lr = 0;
  while (const std::optional<TensorMap> batch = batches.next()) {
    lr = step.optimizer().lr();
    const std::int64_t rows = count_rows(*batch);
    // Batches of arrays are the same on all processes if the first one is.
    if (steps == 0 || data.function())
      agree_on_batch(step.compiled(), options, epoch, steps, *batch);
    const TensorMap part = rows_of_process(step.compiled(), *batch);
    const double loss = step(params, part).at(options.loss).item();
    ++steps;
    if (!options.allow_nan) require_finite(loss, "loss", epoch, steps);
    total += static_cast<double>(rows) * loss;
    samples += rows;
    const double mean = total / static_cast<double>(samples);
    bar.advance(counted(*batch, options), {{"loss", mean}, {"lr", lr}});
  }
  if (data.function()) agree_on_end(step.compiled(), options, epoch, steps);
  require_rows(samples, epoch, "batches");
  const std::string speed = std::string(unit_of(options)) + "_per_second";
  return {{"loss", total / static_cast<double>(samples)}, {"lr", lr}, {speed, bar.rate()}};
}

std::string line_of(const std::string& label, const EpochNumbers& numbers, double left) {
  std::string line = label + ": ";
  for (const auto& [name, number] : numbers) line += fmt::format("{} {:.4g}, ", name, number);
  return line + fmt::format("{:.0f} s left", left);
}

bool is_best(const History& history, const FitOptions& options, bool validates) {
  std::string_view monitor = options.monitor;
  if (monitor.empty()) monitor = validates ? "validation_loss" : "loss";
  const auto number_of = [&](const EpochNumbers& numbers) {
    const auto found = numbers.find(monitor);  // epochs before the checkpoint may lack it
    return found == numbers.end() ? std::nan("") : found->second;
  };
  const double last = number_of(history.epochs.back());
  if (!std::isfinite(last)) return false;
  if (history.best_epoch == 0) return true;
  const double best = number_of(history.epochs[static_cast<size_t>(history.best_epoch - 1)]);
  if (std::isnan(best)) return true;
  return options.mode == Extremum::min ? last < best : last > best;
}

bool is_over(const History& history, const FitOptions& options) {
  const std::int64_t epochs = std::ssize(history.epochs);
  return epochs >= options.epochs ||
         (options.patience && epochs - history.best_epoch >= *options.patience);
}

void refuse_unknown_parameters(const TrainingStep& step) {
  raise({.kind = ErrorKind::state,
         .code = "E0914",
         .message = fmt::format("fit: the optimizer has made {} steps with other parameters",
                                step.optimizer().steps()),
         .help = "give the parameters that it has trained as params, or take a new optimizer"});
}

// Whether it is true on a process of the group, so that all of them end together.
bool is_true_on_any(Communicator* group, bool flag) {
  if (!group || group->size() == 1) return flag;
  std::int32_t any = flag;
  group->start_all_reduce(&any, DType::int32, 1, Reduction::max)->wait();
  return any != 0;
}

// Copied to this library's memory, which a step updates on any backend.
TensorMap first_parameters(const TrainingStep& step, const FitOptions& options) {
  if (options.params) {
    step.compiled().load_state_dict(*options.params);  // checks them
    return options.params->share();
  }
  const TensorMap fitted = step.fitted().params.share();
  // Copied, so that the history of the call before keeps its own.
  return fitted.empty() ? step.compiled().get_parameters().copy() : fitted.copy();
}

History run_fit(TrainingStep& step, const BatchSource& all, const FitOptions& options) {
  const auto [data, validation] = split_for_fit(all, options);
  History history;
  history.params = first_parameters(step, options);
  const auto weights = [&] {
    return options.averages ? step.averages(history.params) : history.params.copy();
  };
  history.best = weights();
  history.best_state = step.state();
  Communicator* group = step.compiled().group().get();
  const bool is_first = !group || group->rank() == 0;
  std::ostream* progress = is_first ? options.progress : nullptr;
  const FitFiles files(options.checkpoint, group);
  files.create();
  const TrainingStep::Fitted fitted = step.fitted();
  std::int64_t epochs_before = fitted.epochs;
  const bool is_known = options.params || !fitted.params.empty();
  const bool continued = files.resume(step, history, epochs_before, weights);
  if (!continued && !is_known && step.optimizer().steps() > 0) refuse_unknown_parameters(step);
  if (options.params) *options.params = history.params.share();
  const std::int64_t total = data.arrays() ? counted(*data.arrays(), options) : 0;
  bool ended = false;
  const auto remember = [&] {
    step.set_fitted({history.params.share(), epochs_before + std::ssize(history.epochs)});
  };
  remember();
  while (!ended && !is_over(history, options)) {
    const std::int64_t epoch = std::ssize(history.epochs);
    const std::string label = fmt::format("epoch {}/{}", epoch + 1, options.epochs);
    ProgressBar bar({.total = total,
                     .label = label,
                     .unit = unit_of(options),
                     .leave = false,
                     .stream = progress});
    EpochNumbers numbers =
        train_epoch(step, history.params, data, options, epoch, epochs_before, bar);
    if (validation)
      numbers.merge(validate(step, step.compiled().gather_parameters(weights()), *validation,
                             options, epoch, epochs_before));
    bar.close();
    const double left = bar.seconds() * static_cast<double>(options.epochs - epoch - 1);
    if (progress) *progress << line_of(label, numbers, left) << std::endl;
    history.epochs.push_back(std::move(numbers));
    remember();
    if (is_best(history, options, validation.has_value())) {
      TensorMap best = weights();
      if (!is_true_on_any(group, !all_finite(best))) {
        history.best_epoch = epoch + 1;
        history.best = std::move(best);
        history.best_state = step.state();
      }
    }
    files.save_epoch(step, history, epochs_before);
    for (const auto& callback : options.callbacks) {
      const bool is_log = callback.target<TensorBoard>() != nullptr;
      if (is_first || !is_log) ended |= callback(history);
    }
    ended = is_true_on_any(group, ended || is_over(history, options));
  }
  return history;
}

}  // namespace

History fit(TrainingStep& step, const BatchSource& all, const FitOptions& options) {
  check_fit_arguments(step.compiled(), all, options);
  // The loss is that of all rows, so all processes refuse it, and epochs without rows.
  return or_abandon(step.compiled().group().get(), [&] { return run_fit(step, all, options); },
                    {"E0419", "E0841"});
}

}  // namespace mithril
