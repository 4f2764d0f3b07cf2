#include "mithril/json/write_arguments.hpp"

#include <optional>

#include "mithril/json/values.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

void write_arguments(const std::string& name, const Arguments& arguments, Json::Object& fields);

// A model is written as a model; a tuple holds its recipe.
Json json_of_argument(const Datum& datum, const std::string& kinds) {
  if (kinds == "models") {
    Json::Array items;
    for (const Datum& item : datum.tuple()) items.push_back(json_of_argument(item, "model"));
    return items;
  }
  if (kinds == "names|none" && !datum.is_none()) {
    Json::Object names;
    for (const Datum& pair : datum.tuple())
      names.emplace_back(pair.tuple()[0].text(), pair.tuple()[1].text());
    return names;
  }
  if (kinds != "model" || datum.kind() == kind::string) return json_of(datum);
  const Tuple& recipe = datum.tuple();
  Arguments arguments;
  for (const Datum& pair : recipe[1].tuple())
    arguments.emplace_back(pair.tuple()[0].text(), pair.tuple()[1]);
  Json::Object fields;
  write_arguments(recipe[0].text(), arguments, fields);
  if (recipe.size() > 2 && !recipe[2].text().empty())
    fields.emplace_back("given_name", recipe[2].text());
  if (recipe.size() < 4) return fields;
  Json::Array types;
  for (const Datum& pair : recipe[3].tuple()) {
    types.emplace_back(Json::Array{pair.tuple()[0].text(), json_of(stated_type(pair.tuple()[1]))});
  }
  fields.emplace_back("assigned_types", std::move(types));
  return fields;
}

bool is_array(const Json& json) { return json.as<Json::Array>() != nullptr; }

class ArgumentWriter {
 public:
  explicit ArgumentWriter(const Arguments* given) : given_(given) {}

  void add(const std::string& name, const std::optional<Datum>& fallback,
           const std::string& kinds = {}) {
    if (!given_) return;
    for (const auto& [key, datum] : *given_) {
      if (key != name) continue;
      Json json = json_of_argument(datum, kinds);
      if (fallback && json == json_of(*fallback)) return;
      if (is_array(json)) tuples_.emplace_back(name);
      arguments_.emplace_back(name, std::move(json));
      return;
    }
  }

  void write(Json::Object& fields) {
    if (!arguments_.empty()) fields.emplace_back("args", std::move(arguments_));
    if (!tuples_.empty()) fields.emplace_back("tuples", std::move(tuples_));
  }

 private:
  const Arguments* given_;
  Json::Object arguments_;
  Json::Array tuples_;
};

void write_arguments(const std::string& name, const Arguments& arguments, Json::Object& fields) {
  fields.emplace_back("name", name);
  ArgumentWriter arguing(&arguments);
  if (const ModelDef* def = try_find_model(name)) {
    for (const ArgumentDef& argument : def->arguments)
      arguing.add(argument.name, argument.fallback, argument.kinds);
  } else if (const OpDef* op = try_find_op(name)) {
    for (const PortDef& port : op->inputs) arguing.add(port.name, port.fallback);
  }
  arguing.write(fields);
}

}  // namespace

void write_op(const OpPart& part, Json::Object& fields) {
  const OpDef& op = *part.op;
  fields.emplace_back("name", try_find_model(op.model_name) ? op.name : op.model_name);
  ArgumentWriter arguing(part.arguments.get());
  for (const PortDef& port : op.inputs) arguing.add(port.name, port.fallback);
  arguing.write(fields);
}

void write_recipe(const Recipe& recipe, Json::Object& fields) {
  write_arguments(std::string(*recipe.name), recipe.arguments, fields);
}

}  // namespace mithril
