#include "mithril/training/fit_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "mithril/base/error.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/compile/finite.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/training/checkpoint.hpp"

namespace mithril {
namespace {

// The history is the text "fit" of the metadata, as in Python.
std::string text_of(const History& history, std::int64_t epochs_before) {
  Json::Array epochs;
  for (const EpochNumbers& numbers : history.epochs) {
    Json::Object fields;
    for (const auto& [name, number] : numbers) {
      const bool finite = std::isfinite(number);  // otherwise a text: "nan", "inf", "-inf"
      fields.emplace_back(name, finite ? Json(number) : Json(finite_text(number)));
    }
    epochs.emplace_back(std::move(fields));
  }
  return to_text(Json::Object{{"epochs", std::move(epochs)},
                              {"best_epoch", Json(history.best_epoch)},
                              {"epochs_before", Json(epochs_before)}});
}

double number_of(const Json& json, const Place& place) {
  for (const double number : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    if (json == Json(finite_text(number))) return number;
  return real_of(json, place);
}

void read_history(const std::string& text, History& history, std::int64_t& epochs_before) {
  const Json json = guarded_parse(text);
  const Place root, place = root.at("epochs");
  const Fields fields(json, root, {"epochs", "best_epoch", "epochs_before"});
  history.epochs.clear();
  for (const Json& epoch : array_of(fields.need("epochs"), place)) {
    EpochNumbers numbers;
    for (const auto& [name, number] : object_of(epoch, place))
      numbers[name] = number_of(number, place);
    history.epochs.push_back(std::move(numbers));
  }
  const Json& best = fields.need("best_epoch");
  history.best_epoch = integer_of(best, root.at("best_epoch"));
  if (history.best_epoch < 0 || history.best_epoch > std::ssize(history.epochs) ||
      history.epochs.empty())
    wrong_form(best, root.at("best_epoch"), "the number of an epoch");
  epochs_before = integer_of(fields.need("epochs_before"), root.at("epochs_before"));
}

}  // namespace

void FitFiles::create() const {
  if (folder_.empty() || !writes()) return;
  const std::string why = make_folder(folder_);
  if (why.empty()) return;
  raise({.kind = ErrorKind::input,
         .code = "E0831",
         .path = folder_,
         .message = "the folder cannot be made",
         .facts = {{"why", why, ""}}});
}

bool FitFiles::resume(TrainingStep& step, History& history, std::int64_t& epochs_before,
                      const std::function<TensorMap()>& weights) const {
  if (folder_.empty()) return false;
  const bool found = std::filesystem::exists(last_);
  if (group_)
    agree(*group_, "fit", {{"there is a checkpoint in the folder", found ? "True" : "False"}});
  if (!found) return false;
  try {
    read(step, history, epochs_before, weights);
  } catch (const StateError& error) {
    ErrorDetails details = error.unnumbered();
    if (details.path.empty()) details.path = last_;
    if (details.help.empty()) {
      details.help =
          "fit continues the run of this file, which it found in the folder checkpoint: to begin a "
          "new run, choose another folder or remove the file";
    }
    raise(std::move(details));
  }
  return true;
}

void FitFiles::read(TrainingStep& step, History& history, std::int64_t& epochs_before,
                    const std::function<TensorMap()>& weights) const {
  const Checkpoint saved = load(last_);
  const auto text = saved.metadata.find("fit");
  if (text == saved.metadata.end()) {
    raise({.kind = ErrorKind::input,
           .code = "E0844",
           .message = fmt::format("fit: '{}' is not a checkpoint of fit", last_),
           .help = "choose another folder for checkpoint"});
  }
  const CompiledModel model = step.compiled();
  read_history(text->second, history, epochs_before);
  // Copied, because the files will be replaced.
  TensorMap params = model.load_state_dict(saved.params).copy();
  step.load_optimizer(saved.optimizer);
  step.set_state(saved.state);
  history.params = std::move(params);
  if (history.best_epoch == std::ssize(history.epochs)) {
    history.best = weights();
    history.best_state = step.state();
    save_best(step, history);
  } else if (history.best_epoch > 0 || std::filesystem::exists(best_)) {
    const Checkpoint best_saved = load(best_);
    history.best = model.load_state_dict(best_saved.params).copy();
    history.best_state = State(best_saved.state.copy());
  }
}

// A kill between the two files loses nothing: the first one determines the second.
void FitFiles::save_epoch(TrainingStep& step, const History& history,
                          std::int64_t epochs_before) const {
  if (folder_.empty()) return;
  step.save_together(last_, history.params,
                     {.optimizer = &step.optimizer(),
                      .step = &step,
                      .metadata = {{"fit", text_of(history, epochs_before)}}});
  if (replaces_best(history)) save_best(step, history);
}

bool FitFiles::replaces_best(const History& history) {
  const auto epochs = std::ssize(history.epochs);
  const bool is_start = history.best_epoch == 0 && epochs == 1;
  return is_start || history.best_epoch == epochs;
}

void FitFiles::save_best(const TrainingStep& step, const History& history) const {
  step.save_together(best_, history.best, {.state = &history.best_state});
}

}  // namespace mithril
