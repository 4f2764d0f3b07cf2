#include "mithril/models/builder.hpp"

#include "mithril/model/composite.hpp"

namespace mithril {

Model model_of_class(const std::string& name) {
  auto composite = std::make_shared<Composite>(name);
  composite->facts = std::make_unique<Facts>();
  composite->facts->decorate = decorate_error;
  composite->by_recipe = true;
  return Model(std::shared_ptr<Part>(std::move(composite)));
}

Model finished(Model model, const Connection& output) {
  model.expose_keys({{"output", output}});
  return model.set_cin({"input"}).set_cout({"output"});
}

}  // namespace mithril
