// The loss scale of mixed precision.
#include "convert.hpp"
#include "mithril/optim/grad_scaler.hpp"

namespace mithril::python {

void bind_loss_scale(py::module_& module) {
  py::class_<LossScale>(module, "LossScale",
                        "The scale of a `GradScaler`, and the rule by which it changes.")
      .def(py::init([](double scale, double growth_factor, double backoff_factor,
                       std::int64_t growth_interval, std::int64_t growth_tracker) {
             const LossScale state{scale, growth_factor, backoff_factor, growth_interval,
                                   growth_tracker};
             state.check();
             return state;
           }),
           py::arg("init_scale"), py::arg("growth_factor"), py::arg("backoff_factor"),
           py::arg("growth_interval"), py::arg("growth_tracker") = 0)
      .def_readwrite("scale", &LossScale::scale, "The factor by which gradients are multiplied.")
      .def_readonly("growth_factor", &LossScale::growth_factor,
                    "The factor by which the scale grows.")
      .def_readonly("backoff_factor", &LossScale::backoff_factor,
                    "The factor by which the scale shrinks after an overflow.")
      .def_readonly("growth_interval", &LossScale::growth_interval,
                    "Number of iterations without inf and NaN after which the scale grows.")
      .def_readonly("growth_tracker", &LossScale::growth_tracker,
                    "Number of iterations without inf and NaN since the scale changed.")
      .def_property_readonly("inverse", &LossScale::inverse, "1 / scale.")
      .def("update", &LossScale::update, py::arg("found_inf"),
           "Updates the scale at the end of an iteration. `found_inf`: whether gradients "
           "overflowed.");
}

}  // namespace mithril::python
