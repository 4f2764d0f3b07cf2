#include "mithril/train_model/train_model.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/statements.hpp"
#include "mithril/model/undo.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/part_argument.hpp"
#include "mithril/train_model/addition.hpp"

namespace mithril {
namespace {

Model wrapped(const Model& model) {
  const std::shared_ptr<Composite> composite = model.composite();
  const auto root = new_root("TrainModel");
  auto parts = std::make_unique<Training>();
  parts->model = composite;

  const std::vector<NamedPort> inputs = input_ports(*composite, true);
  const std::vector<NamedPort> outputs = output_ports(*composite);
  Bindings bindings;
  for (const NamedPort& port : inputs) bindings.emplace_back(port.name, port.name);
  for (const NamedPort& port : outputs) bindings.emplace_back(port.name, port.name);
  refuse_taken_cost(bindings);
  Composition composition(*root);
  composition.add(composite, bindings, false);
  composition.commit();
  for (const NamedPort& port : outputs) root->find_key(port.name)->exposed = true;
  root->selects_outputs = true;
  root->completion = std::move(parts);
  return Model(std::shared_ptr<Part>(root));
}

// The loss with one more port, sample_weight.
Model with_sample_weights(const Model& loss, const Bindings& ports) {
  const std::vector<std::string> outputs = loss.output_keys();
  if (outputs.size() != 1) {
    raise({.kind = ErrorKind::connection,
           .code = "E0117",
           .message = loss.part()->class_name() + " makes " + std::to_string(outputs.size()) +
                      " outputs, and a training model reads one",
           .facts = {{"outputs", outputs.empty() ? "none" : join(outputs, ", "), ""}},
           .help = "expose one of them with expose_keys"});
  }
  Bindings inner{{outputs.front(), "loss"}};
  for (const auto& [port, binding] : ports) inner.emplace_back(port, port);
  Model model;
  model |= loss(inner);
  model |= Model::op("weigh_samples")(
      {{"input", "loss"}, {"weight", "sample_weight"}, {"output", "output"}});
  model.expose_keys({"output"});
  return model;
}

double checked_coef(double coef, const char* call) {
  if (std::isfinite(coef)) return coef;
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = std::string(call) + ": argument 'coef' is out of range",
         .facts = {{"expected", "a finite number", ""}, {"got", to_string(Datum(coef)), ""}}});
}

[[noreturn]] void refuse_pattern(const std::string& pattern, const std::string& reason) {
  raise({.kind = ErrorKind::value,
         .code = "E0434",
         .message = in_quotes(pattern) + " is not a regular expression",
         .facts = {{"reason", reason}}});
}

// Matches whole names that contain the pattern, in time linear in their length: libstdc++ has a
// flag for an algorithm that does not backtrack, does not recurse over the name and refuses back
// references.
std::regex names_with(const std::string& pattern) {
  constexpr size_t longest = 1000;
  if (pattern.size() > longest)
    refuse_pattern(pattern.substr(0, 40) + "...", "it is longer than 1000 characters");
  auto flags = std::regex::ECMAScript;
#ifdef _GLIBCXX_RELEASE
  flags |= std::regex_constants::__polynomial;
#endif
  try {
    static_cast<void>(
        std::regex(pattern, flags));  // finds unbalanced groups before the wrapping hides them
    return std::regex("[\\s\\S]*(?:" + pattern + ")[\\s\\S]*", flags);
  } catch (const std::regex_error& error) {
    refuse_pattern(pattern, error.what());
  }
}

// The keys that would be parameters: float tensors, except canonical inputs and keys with another
// declared class.
std::vector<std::string> trainable_keys(const Composite& model) {
  const std::vector<Wire*> canonical = open_inputs(model);
  std::vector<std::string> names;
  for (const NamedPort& port : input_ports(model)) {
    const bool declared = port.wire->differentiable >= 0;
    const bool data = std::find(canonical.begin(), canonical.end(), port.wire) != canonical.end();
    const bool wanted = declared ? port.wire->differentiable == 1 : !data;
    if (wanted && (find(port.wire->type)->kinds & kind::float_tensor)) names.push_back(port.name);
  }
  return names;
}

std::vector<std::string> matches(const Composite& model, const std::string& pattern) {
  const std::regex expression = names_with(pattern);
  const std::vector<std::string> all = trainable_keys(model);
  std::vector<std::string> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const std::string& key) { return std::regex_match(key, expression); });
  if (!found.empty()) return found;
  raise({.kind = ErrorKind::name,
         .code = "E0621",
         .message = "no parameter matches the regular expression " + in_quotes(pattern),
         .facts = {{"parameters", all.empty() ? "none" : join(all, ", ")}}});
}

}  // namespace

TrainModel::TrainModel(const Model& model) : Model(wrapped(model)) {}

std::optional<TrainModel> TrainModel::of(const Model& model) {
  if (model.part()->op || !model.composite()->completion) return std::nullopt;
  return TrainModel(model, FromPart{});
}

Training& TrainModel::training() {
  return static_cast<Training&>(*open_model(composite()).completion);
}

TrainModel& TrainModel::add_loss(const Model& loss, const Bindings& ports,
                                 const LossOptions& options) {
  if (options.coef) checked_coef(*options.coef, "add_loss");
  Training& training = this->training();
  Addition addition(*composite());
  addition.require_all_ports(*loss.part(), ports);
  Objective added{.part = loss.part(), .key_name = options.key_name, .coef = options.coef};
  Bindings bound = ports;
  if (options.sample_weight) {
    added.part = with_sample_weights(loss, ports).part();
    bound.emplace_back("sample_weight", *options.sample_weight);
  }
  for (const Model& step : options.reduce_steps) added.reduce_steps.push_back(step.part());
  if (added.reduce_steps.empty()) added.reduce_steps.push_back(Model::op("mean").part());
  addition.add(added, bound, "add_loss");
  make_room(training.losses);
  addition.commit({added.key_name});
  training.losses.push_back(std::move(added));
  return *this;
}

TrainModel& TrainModel::add_metric(const Model& metric, const Bindings& ports,
                                   const MetricOptions& options) {
  Training& training = this->training();
  Addition addition(*composite());
  Objective added{.part = metric.part(), .key_name = options.key_name};
  if (added.key_name.empty()) added.key_name = std::string(metric.part()->label());
  for (const Model& step : options.reduce_steps) added.reduce_steps.push_back(step.part());
  addition.require_all_ports(*added.part, ports);
  addition.add(added, ports, "add_metric");
  make_room(training.metrics);
  addition.commit({added.key_name});
  training.metrics.push_back(std::move(added));
  return *this;
}

TrainModel& TrainModel::add_regularization(const Model& model, double coef, const Bindings& ports,
                                           const RegularizationOptions& options) {
  Training& training = this->training();
  Addition addition(*composite());
  Penalty penalty{.reg_key = options.reg_key,
                  .key_name = options.key_name,
                  .coef = checked_coef(coef, "add_regularization")};
  addition.require_all_ports(*model.part(), ports);
  addition.add(penalty, model.part(), ports);
  make_room(training.penalties);
  addition.commit({penalty.key_name});
  training.penalties.push_back(std::move(penalty));
  return *this;
}

TrainModel& TrainModel::regularize_matches(const Model& model, double coef,
                                           const std::string& pattern,
                                           const RegularizationOptions& options) {
  Training& training = this->training();
  if (!options.key_name.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E0402",
           .message = "add_regularization: argument 'key_name' is out of range",
           .facts = {{"expected", "none, where a regular expression may match several keys", ""},
                     {"got", in_quotes(options.key_name), ""}}});
  }
  Addition addition(*composite());
  Penalty penalty{.reg_key = options.reg_key,
                  .pattern = pattern,
                  .coef = checked_coef(coef, "add_regularization")};
  const std::string port =
      options.reg_key.empty() ? canonical_input(*model.part()) : options.reg_key;
  const std::vector<std::string> found = matches(*composite(), pattern);
  const Datum another = found.size() > 1 ? argument_of(model) : Datum();
  for (const std::string& key : found) {
    const PartPointer part = found.size() == 1 ? model.part() : made_of(another).part();
    const Bindings ports{{port, key}};
    addition.require_all_ports(*part, ports);
    addition.add(penalty, part, ports);
  }
  make_room(training.penalties);
  addition.commit({});
  training.penalties.push_back(std::move(penalty));
  return *this;
}

TrainModel& TrainModel::set_loss_combiner(const Model& combiner) {
  if (combiner.part()->owner) Addition(*composite()).refuse_owned(*combiner.part());
  canonical_input(*combiner.part());
  training().combiner = combiner;
  return *this;
}

}  // namespace mithril
