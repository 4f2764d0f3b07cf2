#include "mithril/models/part_argument.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/library.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// Whether the model was not changed, except for the types of its connections.
bool is_untouched(const Composite& model) {
  const auto is_type = [](const StatedFact& fact) {
    return fact.wire && std::holds_alternative<PortType>(fact.what);
  };
  return model.recipe && model.recipe->renamed.empty() &&
         std::all_of(model.statements.begin(), model.statements.end(), is_type) &&
         model.parts.size() == model.recipe->parts && model.keys.size() == model.recipe->keys;
}

// A pair of a key and its kinds or its dtype for each type that was stated.
Tuple stated_types(const Composite& model) {
  Tuple types;
  for (const StatedFact& fact : model.statements) {
    const auto& type = std::get<PortType>(fact.what);
    types.emplace_back(Tuple{name_in_graph(model, fact.wire),
                             type.dtype ? Datum(*type.dtype) : Datum(int64_t{type.kinds})});
  }
  return types;
}

Datum recipe_of(const std::string& name, const Arguments* arguments, const std::string& given_name,
                Tuple types = {}) {
  if ((!arguments || arguments->empty()) && given_name.empty() && types.empty()) return name;
  Tuple pairs;
  if (arguments) {
    for (const auto& [key, datum] : *arguments) pairs.emplace_back(Tuple{key, datum});
  }
  Tuple recipe{name, Datum(std::move(pairs))};
  if (!given_name.empty() || !types.empty()) recipe.emplace_back(given_name);
  if (!types.empty()) recipe.emplace_back(std::move(types));
  return Datum(std::move(recipe));
}

}  // namespace

PartArgument::PartArgument(const Model& model) : datum_(argument_of(model)) {}

Datum argument_of(const Model& model) {
  const Part& part = *model.part();
  if (part.op) {
    const std::string& name =
        try_find_model(part.op->model_name) ? part.op->name : part.op->model_name;
    return recipe_of(name, static_cast<const OpPart&>(part).arguments.get(), part.given_name());
  }
  const Composite& composite = static_cast<const Composite&>(part);
  if (is_untouched(composite))
    return recipe_of(std::string(*composite.recipe->name), &composite.recipe->arguments,
                     part.given_name(), stated_types(composite));
  raise({.kind = ErrorKind::type,
         .code = "E0305",
         .message = "a model argument must be an unmodified model of the library",
         .facts = {{"got", part.class_name(),
                    composite.recipe ? "changed since" : "composed by its user"}},
         .help = "compose the outer model of parts instead"});
}

}  // namespace mithril
