#include "mithril/models/builder.hpp"

#include "mithril/model/composite.hpp"
#include "mithril/models/opening.hpp"

namespace mithril {

Model model_of_class(const std::string& name) {
  auto composite = new_root(name);
  composite->by_recipe = !is_opening();
  return Model(std::shared_ptr<Part>(std::move(composite)));
}

Model finished(Model model, const Connection& output) {
  model.expose_keys({{"output", output}});
  return model.set_cin({"input"}).set_cout({"output"});
}

Connection widened(const Connection& x) { return apply("widen", {x}); }

Connection narrowed(const Connection& x, const std::vector<Connection>& like) {
  return apply("narrow", {x, Binding(std::vector<Binding>(like.begin(), like.end()))});
}

Connection only_output(std::string_view model, const Bindings& inputs) {
  return make_model(model).apply(inputs).front();
}

ArgumentDef mode_argument(const std::string& what) {
  return {"inference", "bool|none", Datum(),
          "True: " + what + "; False: train; None: the mode of the compile"};
}

void bind_next_state(Model& model, const std::string& key, const Connection& next,
                     const Datum& mode, const InitialState& initial) {
  const std::string new_key = "new_" + key;
  model |= Model::op("by_mode")(
      {{"training", next}, {"inference", key}, {"is_inference", mode}, {"output", new_key}});
  model.bind_state_keys(key, new_key, initial);
}

}  // namespace mithril
