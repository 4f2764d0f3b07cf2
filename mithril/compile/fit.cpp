#include "mithril/compile/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "mithril/base/error.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/compile/checkpoint.hpp"
#include "mithril/compile/fit_arguments.hpp"
#include "mithril/compile/progress_bar.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"

namespace mithril {
namespace {

const char* unit_of(const FitOptions& options) {
  return options.tokens.empty() ? "samples" : "tokens";
}

// Rows or tokens.
std::int64_t counted(const TensorMap& batch, const FitOptions& options) {
  return options.tokens.empty() ? count_rows(batch) : batch.at(options.tokens).size();
}

EpochNumbers train_epoch(TrainingStep& step, TensorMap& params, const BatchSource& data,
                         const FitOptions& options, std::int64_t epoch, ProgressBar& bar) {
  Batches batches(data, options.batch_size, epoch, options.seed);
  std::int64_t samples = 0;
  double total = 0, lr = 0;
  while (const std::optional<TensorMap> batch = batches.next()) {
    lr = step.optimizer().lr();
    const std::int64_t rows = count_rows(*batch);
    total += static_cast<double>(rows) * step(params, *batch).at(options.loss).item();
    samples += rows;
    const double mean = total / static_cast<double>(samples);
    bar.advance(counted(*batch, options), {{"loss", mean}, {"lr", lr}});
  }
  require_rows(samples, epoch, "batches");
  const std::string speed = std::string(unit_of(options)) + "_per_second";
  return {{"loss", total / static_cast<double>(samples)}, {"lr", lr}, {speed, bar.rate()}};
}

// Inputs and outputs by key, the inputs first. An output replaces an input with its key.
TensorMap joined(const TensorMap& outputs, const TensorMap& batch) {
  TensorMap all = batch.share();
  for (const auto& [key, tensor] : outputs) all[key] = tensor;
  return all;
}

// The means of the loss and of the metrics, by rows.
EpochNumbers validated(const TrainingStep& step, const TensorMap& params, const FitOptions& options,
                       std::int64_t epoch) {
  const CompiledModel model = step.model();
  const State state = step.state();
  for (const auto& [name, evaluator] : options.evaluators) evaluator->reset();
  EpochNumbers means;
  std::int64_t samples = 0;
  Batches batches(*options.validation, options.batch_size, epoch);
  while (const std::optional<TensorMap> batch = batches.next()) {
    const TensorMap outputs = model.infer(params, *batch, state);
    const std::int64_t rows = count_rows(*batch);
    samples += rows;
    means["validation_loss"] += static_cast<double>(rows) * outputs.at(options.loss).item();
    for (const auto& [name, metric] : options.metrics)
      means[name] += static_cast<double>(rows) * metric(outputs, *batch);
    for (const auto& [name, evaluator] : options.evaluators)
      evaluator->update(joined(outputs, *batch));
  }
  require_rows(samples, epoch, "batches of validation");
  for (auto& [name, mean] : means) mean /= static_cast<double>(samples);
  for (const auto& [name, evaluator] : options.evaluators) means[name] = evaluator->compute();
  return means;
}

std::string line_of(const std::string& label, const EpochNumbers& numbers, double left) {
  std::string line = label + ": ";
  for (const auto& [name, number] : numbers) line += fmt::format("{} {:.4g}, ", name, number);
  return line + fmt::format("{:.0f} s left", left);
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

// Checkpoints: the history is the text "fit" of the metadata, as in Python.

std::string text_of(const History& history) {
  Json::Array epochs;
  for (const EpochNumbers& numbers : history.epochs) {
    Json::Object fields;
    for (const auto& [name, number] : numbers) {
      const bool finite = std::isfinite(number);  // otherwise a text: "nan", "inf", "-inf"
      fields.emplace_back(name, finite ? Json(number) : Json(fmt::format("{}", number)));
    }
    epochs.emplace_back(std::move(fields));
  }
  return to_text(
      Json::Object{{"epochs", std::move(epochs)}, {"best_epoch", Json(history.best_epoch)}});
}

double number_of(const Json& json, const Place& place) {
  for (const double number : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    if (json == Json(fmt::format("{}", number))) return number;
  return real_of(json, place);
}

void read_history(const std::string& text, History& history) {
  const Json json = guarded_parse(text);
  const Place root, place = root.at("epochs");
  const Fields fields(json, root, {"epochs", "best_epoch"});
  history.epochs.clear();
  for (const Json& epoch : array_of(fields.need("epochs"), place)) {
    EpochNumbers numbers;
    for (const auto& [name, number] : object_of(epoch, place))
      numbers[name] = number_of(number, place);
    history.epochs.push_back(std::move(numbers));
  }
  const Json& best = fields.need("best_epoch");
  history.best_epoch = integer_of(best, root.at("best_epoch"));
  if (history.best_epoch < 0 || history.best_epoch >= std::ssize(history.epochs))
    wrong_form(best, root.at("best_epoch"), "the index of an epoch");
}

struct Files {
  std::filesystem::path folder, last = folder / "last.safetensors",
                                best = folder / "best.safetensors";

  void save_best(const History& history) const {
    save(best.string(), history.best, {.state = &history.best_state});
  }

  // Before training begins.
  void create() const {
    const std::string why = make_folder(folder.string());
    if (why.empty()) return;
    raise({.kind = ErrorKind::input,
           .code = "E0831",
           .path = folder.string(),
           .message = "the folder cannot be made",
           .facts = {{"why", why, ""}}});
  }

  // A kill between the two files loses nothing: the first one determines the second.
  void save_epoch(const TrainingStep& step, const History& history) const {
    save(last.string(), history.params,
         {.optimizer = &step.optimizer(), .step = &step, .metadata = {{"fit", text_of(history)}}});
    if (history.best_epoch + 1 == std::ssize(history.epochs)) save_best(history);
  }

  template <typename Weights>
  void resume(TrainingStep& step, History& history, const Weights& weights) const {
    if (!std::filesystem::exists(last)) return;
    const Checkpoint saved = load(last.string());
    const auto text = saved.metadata.find("fit");
    if (text == saved.metadata.end()) {
      raise({.kind = ErrorKind::input,
             .code = "E0844",
             .message = fmt::format("fit: '{}' is not a checkpoint of fit", last.string()),
             .help = "choose another folder for checkpoint"});
    }
    const CompiledModel model = step.model();
    read_history(text->second, history);
    // Copied, because the files will be replaced.
    TensorMap params = model.load_state_dict(saved.params).copy();
    step.optimizer().load_state_dict(saved.optimizer.copy());
    step.set_state(saved.state);
    history.params = std::move(params);
    if (history.best_epoch + 1 == std::ssize(history.epochs)) {
      history.best = weights();
      history.best_state = step.state();
      save_best(history);
    } else {
      const Checkpoint best_saved = load(best.string());
      history.best = model.load_state_dict(best_saved.params).copy();
      history.best_state = State(best_saved.state.copy());
    }
  }
};

}  // namespace

History fit(TrainingStep& step, const BatchSource& data, const FitOptions& options) try {
  const CompiledModel model = step.model();
  check_fit_arguments(model, data, options);
  History history;
  if (options.params) model.load_state_dict(*options.params);  // checks them
  // Copied to this library's memory, which a step updates on any backend.
  history.params = options.params ? options.params->share() : model.get_parameters().copy();
  const auto weights = [&] {
    return options.averages ? step.averages(history.params) : history.params.copy();
  };
  history.best = weights();
  history.best_state = step.state();
  const Files files{options.checkpoint};
  if (!files.folder.empty()) {
    files.create();
    files.resume(step, history, weights);
  }
  if (options.params) *options.params = history.params.share();
  const std::int64_t total = data.arrays() ? counted(*data.arrays(), options) : 0;
  bool ended = false;
  while (!ended && !is_over(history, options)) {
    const std::int64_t epoch = std::ssize(history.epochs);
    const std::string label = fmt::format("epoch {}/{}", epoch + 1, options.epochs);
    ProgressBar bar({.total = total,
                     .label = label,
                     .unit = unit_of(options),
                     .leave = false,
                     .stream = options.progress});
    EpochNumbers numbers = train_epoch(step, history.params, data, options, epoch, bar);
    if (options.validation) numbers.merge(validated(step, weights(), options, epoch));
    bar.close();
    const double left = bar.seconds() * static_cast<double>(options.epochs - epoch - 1);
    if (options.progress) *options.progress << line_of(label, numbers, left) << std::endl;
    history.epochs.push_back(std::move(numbers));
    if (is_best(history, options.validation ? "validation_loss" : "loss")) {
      history.best_epoch = epoch;
      history.best = weights();
      history.best_state = step.state();
    }
    if (!files.folder.empty()) files.save_epoch(step, history);
    for (const auto& callback : options.callbacks) ended |= callback(history);
  }
  return history;
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
