// The module mithril._core.
#include <string>

#include "convert.hpp"
#include "mithril/base/version.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace mithril::python;
  module.attr("__version__") = std::string(mithril::version());
  module.doc() = "The core of Mithril; import mithril instead.";
  bind_errors(module);
  bind_values(module);
  bind_tensors(module);
  bind_connections(module);
  bind_models(module);
  bind_training(module);
  bind_json(module);
  bind_library(module);
  bind_constraints(module);
  bind_compile(module);
  bind_optimizers(module);
}
