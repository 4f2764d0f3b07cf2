#include "mithril/json/write_arguments.hpp"

#include <optional>

#include "mithril/json/values.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

class Arguing {
 public:
  explicit Arguing(const Arguments* given) : given_(given) {}

  void add(const std::string& name, const std::optional<Datum>& fallback) {
    if (!given_) return;
    for (const auto& [key, datum] : *given_) {
      if (key != name) continue;
      Json json = json_of(datum);
      if (fallback && json == json_of(*fallback)) return;
      if (datum.kind() == kind::tuple) tuples_.emplace_back(name);
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

}  // namespace

void write_op(const OpPart& part, Json::Object& fields) {
  const OpDef& op = *part.op;
  fields.emplace_back("name", try_find_model(op.model_name) ? op.name : op.model_name);
  Arguing arguing(part.arguments.get());
  for (const PortDef& port : op.inputs) arguing.add(port.name, port.fallback);
  arguing.write(fields);
}

void write_recipe(const Recipe& recipe, Json::Object& fields) {
  fields.emplace_back("name", std::string(*recipe.name));
  Arguing arguing(&recipe.arguments);
  if (const ModelDef* def = try_find_model(*recipe.name)) {
    for (const ArgumentDef& argument : def->arguments)
      arguing.add(argument.name, argument.fallback);
  } else if (const OpDef* op = try_find_op(*recipe.name)) {
    for (const PortDef& port : op->inputs) arguing.add(port.name, port.fallback);
  }
  arguing.write(fields);
}

}  // namespace mithril
