#include "mithril/json/read_training.hpp"

#include <algorithm>

#include "mithril/base/text.hpp"
#include "mithril/json/read_facts.hpp"
#include "mithril/json/read_specs.hpp"
#include "mithril/json/values.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/part.hpp"

namespace mithril {
namespace {

const Json* field(const Json::Object& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

class TrainingReader {
 public:
  TrainingReader(const Json& json, const Place& place, ReadModel read)
      : place_(place),
        read_(read),
        fields_(json, place,
                {"name", "given_name", "model", "output_specs", "losses", "regularizations",
                 "metrics", "final_loss_combiner", "assigned_shapes", "assigned_types", "types",
                 "assigned_values", "assigned_differentiabilities", "assigned_intervals",
                 "assigned_initializers", "assigned_cins", "assigned_couts", "state_keys"}),
        train_(read(fields_.need("model"), place.at("model"))) {}

  Model run() {
    if (const Json* name = fields_.find("given_name"))
      train_.part()->give_name(text_of(*name, place_.at("given_name")));
    read_outputs();
    each("losses", [&](const Json& json, const Place& at) { read_loss(json, at); });
    each("metrics", [&](const Json& json, const Place& at) { read_metric(json, at); });
    each("regularizations", [&](const Json& json, const Place& at) { read_penalty(json, at); });
    if (const Json* combiner = fields_.find("final_loss_combiner")) {
      const Place here = place_.at("final_loss_combiner");
      const Model model = part(*combiner, here);
      reading(here, [&] { train_.set_loss_combiner(model); });
    }
    read_facts(train_, fields_, place_);
    choose("assigned_cins", &Model::set_cin);
    choose("assigned_couts", &Model::set_cout);
    return train_;
  }

 private:
  template <typename Read>
  void each(const char* name, Read read) {
    const Json* items = fields_.find(name);
    if (!items) return;
    const Place here = place_.at(name);
    const Json::Array& all = array_of(*items, here);
    for (size_t i = 0; i < all.size(); ++i) read(all[i], here.at(i));
  }

  void choose(const char* name, Model& (Model::*set)(const std::vector<std::string>&)) {
    const Json* keys = fields_.find(name);
    if (!keys) return;
    const Place here = place_.at(name);
    const std::vector<std::string> names = names_of(*keys, here);
    reading(here, [&] { (train_.*set)(names); });
  }

  // A model, or {"fn": its name, "params": its arguments}.
  Model part(const Json& json, const Place& place) {
    const auto* fields = json.as<Json::Object>();
    if (!fields || !field(*fields, "fn")) return read_(json, place);
    const Fields all(json, place, {"fn", "params"});
    const std::string& name = text_of(all.need("fn"), place.at("fn"));
    const Place here = place.at("params");
    Arguments arguments;
    if (const Json* params = all.find("params")) {
      for (const auto& [argument, value] : object_of(*params, here))
        arguments.emplace_back(argument, datum_of(value, here.at(argument)));
    }
    return reading(arguments.empty() ? place.at("fn") : here,
                   [&] { return make_model(name, arguments); });
  }

  std::vector<Model> parts(const Json* json, const Place& place) {
    std::vector<Model> models;
    if (!json) return models;
    const Json::Array& items = array_of(*json, place);
    for (size_t i = 0; i < items.size(); ++i) models.push_back(part(items[i], place.at(i)));
    return models;
  }

  // Sorted by the output to which they belong: input is this output, target the target_key.
  void read_outputs() {
    const Json* specs = fields_.find("output_specs");
    if (!specs) return;
    const Place here = place_.at("output_specs");
    for (const auto& [output, json] : object_of(*specs, here)) {
      const Place at = here.at(output);
      const Fields spec(json, at, {"loss", "reduce_steps", "target_key", "metrics"});
      Bindings ports{{"input", output}};
      if (const Json* target = spec.find("target_key"))
        ports.emplace_back("target", text_of(*target, at.at("target_key")));
      if (const Json* loss = spec.find("loss")) {
        const Model model = part(*loss, at.at("loss"));
        const LossOptions options{.reduce_steps =
                                      parts(spec.find("reduce_steps"), at.at("reduce_steps"))};
        reading(at, [&] { train_.add_loss(model, ports, options); });
      }
      const Place metrics = at.at("metrics");
      for (const Model& metric : parts(spec.find("metrics"), metrics))
        reading(metrics, [&] { train_.add_metric(metric, metric_ports(metric, ports)); });
    }
  }

  // Metrics call them pred and label.
  static Bindings metric_ports(const Model& metric, Bindings ports) {
    const std::vector<std::string> order = metric.call_order();
    const auto has = [&](const char* port) {
      return std::find(order.begin(), order.end(), port) != order.end();
    };
    if (!has("pred") || !has("label")) return ports;
    ports.front().first = "pred";
    if (ports.size() > 1) ports.back().first = "label";
    return ports;
  }

  Bindings bindings(const Json& json, const Place& place) {
    return SpecReader(train_).bindings(json, place);
  }

  void read_loss(const Json& json, const Place& place) {
    const Fields all(json, place, {"loss", "ports", "reduce_steps", "key_name", "coef"});
    const Model model = part(all.need("loss"), place.at("loss"));
    LossOptions options{.reduce_steps = parts(all.find("reduce_steps"), place.at("reduce_steps")),
                        .key_name = key_name(all, place)};
    if (const Json* coef = all.find("coef")) options.coef = coef_of(*coef, place.at("coef"));
    const Bindings ports = bindings(all.need("ports"), place.at("ports"));
    reading(place, [&] { train_.add_loss(model, ports, options); });
  }

  void read_metric(const Json& json, const Place& place) {
    const Fields all(json, place, {"metric", "ports", "reduce_steps", "key_name"});
    const Model model = part(all.need("metric"), place.at("metric"));
    const MetricOptions options{
        .reduce_steps = parts(all.find("reduce_steps"), place.at("reduce_steps")),
        .key_name = key_name(all, place)};
    const Bindings ports = bindings(all.need("ports"), place.at("ports"));
    reading(place, [&] { train_.add_metric(model, ports, options); });
  }

  // A field that is not an option is a port.
  void read_penalty(const Json& json, const Place& place) {
    Json::Object ports;
    bool regex = false;
    RegularizationOptions options;
    for (const auto& [name, value] : object_of(json, place)) {
      const Place at = place.at(name);
      if (name == "model" || name == "coef") continue;
      if (name == "regex") {
        regex = flag_of(value, at);
      } else if (name == "reg_key") {
        options.reg_key = text_of(value, at);
      } else if (name == "key_name") {
        options.key_name = text_of(value, at);
      } else {
        ports.emplace_back(name, value);
      }
    }
    const Fields all(json, place);
    const Model part = this->part(all.need("model"), place.at("model"));
    const double factor = coef_of(all.need("coef"), place.at("coef"));
    if (!regex) {
      const Bindings bound = bindings(ports, place);
      reading(place, [&] { train_.add_regularization(part, factor, bound, options); });
      return;
    }
    if (ports.size() != 1)
      wrong_form(json, place, "one port, for what the regular expression matches");
    options.reg_key = ports.front().first;
    const KeyPattern pattern{text_of(ports.front().second, place.at(ports.front().first))};
    reading(place, [&] { train_.add_regularization(part, factor, pattern, options); });
  }

  static std::string key_name(const Fields& fields, const Place& place) {
    const Json* name = fields.find("key_name");
    return name ? text_of(*name, place.at("key_name")) : "";
  }

  static double coef_of(const Json& json, const Place& place) {
    if (!json.as<Json::Object>()) return real_of(json, place);
    const Tensor tensor = tensor_of(json, place);
    if (tensor.size() != 1) wrong_form(json, place, "one number");
    return tensor.at_as_double(0);
  }

  const Place& place_;
  ReadModel read_;
  Fields fields_;
  TrainModel train_;
};

}  // namespace

bool is_training(const Json& json) {
  const auto* fields = json.as<Json::Object>();
  if (!fields) return false;
  const Json* name = field(*fields, "name");
  if (!name) return field(*fields, "model") != nullptr;
  const auto* text = name->as<std::string>();
  return text && lower_case(*text) == "trainmodel";
}

Model read_training(const Json& json, const Place& place, ReadModel read) {
  return TrainingReader(json, place, read).run();
}

}  // namespace mithril
