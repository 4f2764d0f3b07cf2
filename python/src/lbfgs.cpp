// LBFGS, whose step evaluates a function of Python.
#include "mithril/optim/lbfgs.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "updated_parameters.hpp"

namespace mithril::python {
namespace {

std::pair<double, TensorMap> evaluated(const py::object& closure, const py::dict& params) {
  const py::object result = closure(params);
  constexpr const char* expected = "a pair: the loss, and a dict of its gradients";
  if (!py::isinstance<py::tuple>(result) || py::len(result) != 2) wrong_type(result, expected);
  const py::tuple pair = py::reinterpret_borrow<py::tuple>(result);
  if (!py::isinstance<py::dict>(pair[1])) wrong_type(pair[1], expected);
  return {py::float_(py::object(pair[0])).cast<double>(), tensor_map_of(py::dict(pair[1]))};
}

double step(LBFGS& lbfgs, const py::dict& params, const py::object& closure) {
  if (!PyCallable_Check(closure.ptr()))
    wrong_type(closure, "a function of the parameters that returns the loss and its gradients");
  UpdatedParameters updated(params);
  const auto loss_at = [&](const TensorMap&) {
    updated.copy_back();
    return evaluated(closure, params);
  };
  try {
    const double loss = lbfgs.step(updated.tensors, loss_at);
    updated.copy_back();
    return loss;
  } catch (...) {
    updated.copy_back();  // the parameters before the step
    throw;
  }
}

bool is_strong_wolfe(const std::optional<std::string>& line_search) {
  if (line_search && *line_search != "strong_wolfe") {
    unknown_member(ErrorKind::name, "E0605", "LBFGS", "line_search_fn", *line_search, "",
                   {"strong_wolfe"});
  }
  return line_search.has_value();
}

py::dict options_of(const LBFGS& lbfgs) {
  const LBFGSOptions& options = lbfgs.options();
  py::dict all;
  all["lr"] = options.lr;
  all["max_iter"] = options.max_iter;
  all["max_eval"] = options.max_eval;
  all["tolerance_grad"] = options.tolerance_grad;
  all["tolerance_change"] = options.tolerance_change;
  all["history_size"] = options.history_size;
  all["line_search_fn"] = options.strong_wolfe ? py::object(py::str("strong_wolfe")) : py::none();
  return all;
}

}  // namespace

void bind_lbfgs(py::module_& module) {
  py::class_<LBFGS>(module, "LBFGS",
                    R"(Minimizes a loss by limited-memory BFGS, as torch.optim.LBFGS does.

One step evaluates the loss and its gradients several times. The computation is in float64. It
suits small models and whole data sets.

Args:
    lr: length of a step without line search.
    max_iter: maximum number of iterations of a step.
    max_eval: maximum number of evaluations of a step. None uses max_iter * 5 / 4.
    tolerance_grad: a step ends when no gradient is larger.
    tolerance_change: a step ends when parameters or loss change by less.
    history_size: number of iterations that are kept.
    line_search_fn: "strong_wolfe", or None for no line search.

Raises:
    ValueError: If an option is out of range.

Example:
    lbfgs = ml.LBFGS(line_search_fn="strong_wolfe")

    def closure(params):
        outputs, gradients = compiled.evaluate(params, data, output_gradients=True)
        return outputs["loss"], gradients

    for _ in range(10):
        loss = lbfgs.step(params, closure)

See docs/optimizers.md.)")
      .def(py::init([](double lr, std::int64_t max_iter, std::optional<std::int64_t> max_eval,
                       double tolerance_grad, double tolerance_change, std::int64_t history_size,
                       const std::optional<std::string>& line_search_fn) {
             return LBFGS({.lr = lr,
                           .max_iter = max_iter,
                           .max_eval = max_eval,
                           .tolerance_grad = tolerance_grad,
                           .tolerance_change = tolerance_change,
                           .history_size = history_size,
                           .strong_wolfe = is_strong_wolfe(line_search_fn)});
           }),
           py::arg("lr") = 1.0, py::kw_only(), py::arg("max_iter") = 20,
           py::arg("max_eval") = py::none(), py::arg("tolerance_grad") = 1e-7,
           py::arg("tolerance_change") = 1e-9, py::arg("history_size") = 100,
           py::arg("line_search_fn") = py::none())
      .def("step", step, py::arg("params"), py::arg("closure"),
           R"(Updates the parameters in place, and returns the loss before the step.

After an exception of the closure the parameters are those before the step, and the history is
empty.

Args:
    params: dict of parameters.
    closure: function that takes the parameters, and returns the loss and a dict of gradients.
        Parameters without a gradient keep their values.

Raises:
    NameError: If a gradient belongs to no parameter.
    ShapeError: If a gradient and its parameter have different shapes.
    StateError: If the history belongs to other parameters.

Example:
    weights = {"w": np.array([3.0, -1.0])}

    def closure(params):
        return float((params["w"] ** 2).sum()), {"w": 2 * params["w"]}

    loss = ml.LBFGS(lr=0.5).step(weights, closure)
    assert loss == 10.0)")
      .def_property_readonly("options", options_of, "Dict of the arguments of the constructor.")
      .def(
          "state_dict", [](const LBFGS& lbfgs) { return dict_of(lbfgs.state_dict()); },
          R"(Returns the history as a dict of arrays with the names of PyTorch, such as "old_dirs".

Example:
    np.savez("lbfgs.npz", **ml.LBFGS().state_dict()))")
      .def(
          "load_state_dict",
          [](LBFGS& lbfgs, const py::dict& state) { lbfgs.load_state_dict(tensor_map_of(state)); },
          py::arg("state"),
          R"(Restores the history that `state_dict` returned.

Args:
    state: dict of arrays.

Raises:
    StateError: If an entry is missing or has another shape.

Example:
    lbfgs = ml.LBFGS()
    lbfgs.load_state_dict(ml.LBFGS().state_dict()))")
      .def("__repr__", [](const LBFGS& lbfgs) { return shown_call("LBFGS", options_of(lbfgs)); });
}

}  // namespace mithril::python
