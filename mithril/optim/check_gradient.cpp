#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

void check_gradient(const std::string& key, const Tensor& param, const Tensor& gradient) {
  const bool supported = is_floating(param.dtype());
  if (!supported || param.dtype() != gradient.dtype()) {
    raise({.kind = ErrorKind::type,
           .code = "E0382",
           .message = supported ? "the gradient of " + in_quotes(key) + " has another dtype"
                                : "an optimizer moves floating-point parameters only",
           .facts = {{key, std::string(name(param.dtype()))},
                     {"gradient", std::string(name(gradient.dtype()))}},
           .help = supported ? "a compiled model makes gradients of the dtype of its backend: "
                               "convert the parameter to it"
                             : ""});
  }
  if (param.dims() != gradient.dims()) {
    raise({.kind = ErrorKind::shape,
           .code = "E0208",
           .message = "the gradient of " + in_quotes(key) + " has other dims",
           .facts = {{key, to_string(param.dims())}, {"gradient", to_string(gradient.dims())}}});
  }
}

}  // namespace mithril
