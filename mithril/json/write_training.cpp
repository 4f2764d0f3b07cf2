#include "mithril/json/write_training.hpp"

#include "mithril/json/write_facts.hpp"
#include "mithril/train_model/training.hpp"

namespace mithril {
namespace {

class TrainingWriter {
 public:
  TrainingWriter(const Composite& model, WriteModel write)
      : training_(static_cast<const Training&>(*model.completion)),
        model_(model),
        write_(write),
        level_(level_of(model)),
        facts_(model, level_) {}

  void write(Json::Object& fields) {
    Json::Object specs;
    Json::Array losses, metrics, penalties;
    for (const Objective& loss : training_.losses) {
      if (losses.empty() && fits_spec(loss, specs))
        add_spec(loss, specs);
      else
        losses.emplace_back(objective("loss", loss));
    }
    for (const Objective& metric : training_.metrics)
      metrics.emplace_back(objective("metric", metric));
    for (const Penalty& penalty : training_.penalties) penalties.emplace_back(json_of(penalty));

    fields.emplace_back("name", "TrainModel");
    fields.emplace_back("model", write_(*training_.model));
    if (!specs.empty()) fields.emplace_back("output_specs", std::move(specs));
    if (!losses.empty()) fields.emplace_back("losses", std::move(losses));
    if (!metrics.empty()) fields.emplace_back("metrics", std::move(metrics));
    if (!penalties.empty()) fields.emplace_back("regularizations", std::move(penalties));
    Json combiner = short_form(*training_.combiner.part());
    if (combiner != Json("Sum")) fields.emplace_back("final_loss_combiner", std::move(combiner));
    facts_.write(fields);
  }

 private:
  // A model that is its name alone is written so.
  Json short_form(const Part& part) {
    Json json = write_(part);
    auto& fields = *json.as<Json::Object>();
    if (!part.given_name().empty()) fields.emplace_back("given_name", part.given_name());
    return fields.size() == 1 && fields.front().first == "name" ? fields.front().second : json;
  }

  Json::Array short_forms(const std::vector<PartPointer>& parts) {
    Json::Array all;
    for (const PartPointer& part : parts) all.push_back(short_form(*part));
    return all;
  }

  // The binding of a port: a name, or a value.
  Json spec(const Part& part, const std::string& port) {
    for (size_t i = 0; i < level_.endpoints.size(); ++i) {
      const Endpoint& end = level_.endpoints[i];
      if (end.part != &part || end.port != port || !end.wire) continue;
      const size_t group = level_.group_of.at(wire_in(model_, end.wire));
      Json value;
      if (level_.groups[group].keys.empty() && facts_.literal(group, value)) return value;
      return facts_.name(group);
    }
    return nullptr;
  }

  Json::Object ports(const Part& part, const std::vector<std::string>& names) {
    Json::Object specs;
    for (const std::string& name : names) specs.emplace_back(name, spec(part, name));
    return specs;
  }

  bool fits_spec(const Objective& loss, const Json::Object& specs) {
    if (!loss.key_name.empty() || loss.coef) return false;
    if (loss.ports.empty() || loss.ports.size() > 2 || loss.ports.front() != "input") return false;
    if (loss.ports.size() == 2 && loss.ports.back() != "target") return false;
    for (const std::string& port : loss.ports) {
      if (!spec(*loss.part, port).as<std::string>()) return false;
    }
    const Json output = spec(*loss.part, "input");
    for (const auto& [key, json] : specs) {
      if (Json(key) == output) return false;
    }
    return true;
  }

  void add_spec(const Objective& loss, Json::Object& specs) {
    Json::Object json{{"loss", short_form(*loss.part)},
                      {"reduce_steps", short_forms(loss.reduce_steps)}};
    if (loss.ports.size() == 2) json.emplace_back("target_key", spec(*loss.part, "target"));
    specs.emplace_back(*spec(*loss.part, "input").as<std::string>(), std::move(json));
  }

  Json objective(const char* name, const Objective& objective) {
    Json::Object json{{name, short_form(*objective.part)},
                      {"ports", ports(*objective.part, objective.ports)}};
    if (!objective.reduce_steps.empty())
      json.emplace_back("reduce_steps", short_forms(objective.reduce_steps));
    if (!objective.key_name.empty()) json.emplace_back("key_name", objective.key_name);
    if (objective.coef) json.emplace_back("coef", *objective.coef);
    return json;
  }

  Json json_of(const Penalty& penalty) {
    const Part& part = *penalty.terms.front().part;
    Json::Object json{{"model", short_form(part)}, {"coef", penalty.coef}};
    if (penalty.pattern.empty()) {
      for (auto& port : ports(part, penalty.ports)) json.push_back(std::move(port));
      if (!penalty.reg_key.empty()) json.emplace_back("reg_key", penalty.reg_key);
    } else {
      json.emplace_back(penalty.ports.front(), penalty.pattern);
      json.emplace_back("regex", true);
    }
    if (!penalty.key_name.empty()) json.emplace_back("key_name", penalty.key_name);
    return json;
  }

  const Training& training_;
  const Composite& model_;
  WriteModel write_;
  Level level_;
  FactsWriter facts_;
};

}  // namespace

void write_training(const Composite& model, Json::Object& fields, WriteModel write) {
  TrainingWriter(model, write).write(fields);
}

}  // namespace mithril
