// Learning rates that change with the number of steps.
#include "mithril/optim/schedule.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/optim/plateau.hpp"

namespace mithril::python {

std::string shown_call(const std::string& name, const py::dict& arguments) {
  std::string text;
  for (const auto& [key, value] : arguments) {
    text += (text.empty() ? "" : ", ") + py::str(key).cast<std::string>() + "=" +
            py::repr(value).cast<std::string>();
  }
  return name + "(" + text + ")";
}

namespace {

template <typename S>
using Field = std::pair<const char*, std::variant<double S::*, std::int64_t S::*>>;

template <typename S>
py::dict fields_of(const S& schedule, const std::vector<Field<S>>& fields) {
  py::dict all;
  for (const auto& [name, member] : fields) {
    std::visit([&](auto field) { all[name] = py::cast(schedule.*field); }, member);
  }
  return all;
}

template <typename S>
py::class_<S> bind_schedule(py::module_& module, const char* name, const char* doc,
                            const std::vector<Field<S>>& fields) {
  py::class_<S> bound(module, name, doc);
  bound.def(
      "__call__",
      [](const S& schedule, std::int64_t steps) { return Schedule(schedule).at(steps); },
      py::arg("steps"), "Returns the learning rate of the step that follows `steps` steps.");
  bound.def_property_readonly(
      "options", [fields](const S& schedule) { return fields_of(schedule, fields); },
      "Dict of the arguments of the constructor.");
  bound.def("__repr__", [fields, name](const S& schedule) {
    return shown_call(name, fields_of(schedule, fields));
  });
  return bound;
}

template <typename S>
S checked(S schedule) {
  static_cast<void>(Schedule(schedule));
  return schedule;
}

template <typename S>
void bind_decay(py::module_& module, const char* name, const char* doc) {
  bind_schedule<S>(module, name, doc,
                   {{"lr", &S::lr},
                    {"steps", &S::steps},
                    {"warmup", &S::warmup},
                    {"warmup_start", &S::warmup_start},
                    {"end", &S::end}})
      .def(py::init([](double lr, std::int64_t steps, std::int64_t warmup, double warmup_start,
                       double end) {
             return checked(S{lr, steps, warmup, warmup_start, end});
           }),
           py::arg("lr") = 1e-3, py::kw_only(), py::arg("steps"), py::arg("warmup") = 0,
           py::arg("warmup_start") = 0.0, py::arg("end") = 0.0);
}

py::dict options_of(const Plateau& plateau) {
  const PlateauOptions& options = plateau.options();
  py::dict all;
  all["mode"] = options.maximize ? "max" : "min";
  all["factor"] = options.factor;
  all["patience"] = options.patience;
  all["threshold"] = options.threshold;
  all["threshold_mode"] = options.absolute ? "abs" : "rel";
  all["cooldown"] = options.cooldown;
  all["min_lr"] = options.min_lr;
  return all;
}

// Whether the word is the second of the two.
bool is_second(const char* argument, const std::string& word, const std::string& first,
               const std::string& second) {
  if (word == first || word == second) return word == second;
  unknown_member(ErrorKind::name, "E0605", "Plateau", argument, word, "", {first, second});
}

void bind_plateau(py::module_& module) {
  py::class_<Plateau>(module, "Plateau",
                      R"(Reduces the learning rate when a score stops improving.

It follows torch.optim.lr_scheduler.ReduceLROnPlateau.

Args:
    mode: "min" if smaller scores are better, "max" if larger scores are better.
    factor: factor by which the learning rate is multiplied, between 0 and 1.
    patience: number of scores without improvement that are allowed.
    threshold: minimum improvement.
    threshold_mode: "rel" if the threshold is relative to the best score, "abs" if it is a
        difference.
    cooldown: number of scores after a reduction that are not counted.
    min_lr: lower bound of the learning rate.

Raises:
    ValueError: If an option is out of range.
    NameError: If a mode is unknown.

Example:
    plateau = ml.Plateau(factor=0.5, patience=3)
    for epoch in range(10):
        loss = float(step(params, data)["loss"])
        plateau.update(optimizer, loss)

See docs/semantics.md.)")
      .def(py::init([](const std::string& mode, double factor, std::int64_t patience,
                       double threshold, const std::string& threshold_mode, std::int64_t cooldown,
                       double min_lr) {
             return Plateau({.maximize = is_second("mode", mode, "min", "max"),
                             .factor = factor,
                             .patience = patience,
                             .threshold = threshold,
                             .absolute = is_second("threshold_mode", threshold_mode, "rel", "abs"),
                             .cooldown = cooldown,
                             .min_lr = min_lr});
           }),
           py::arg("mode") = "min", py::kw_only(), py::arg("factor") = 0.1,
           py::arg("patience") = 10, py::arg("threshold") = 1e-4, py::arg("threshold_mode") = "rel",
           py::arg("cooldown") = 0, py::arg("min_lr") = 0.0)
      .def("update", &Plateau::update, py::arg("optimizer"), py::arg("score"),
           R"(Records a score, and reduces the learning rate if it is time. Call it once an epoch.

Args:
    optimizer: an optimizer whose learning rate is a number.
    score: the score, such as the validation loss.

Returns:
    Whether the learning rate was reduced.

Raises:
    StateError: If the learning rate is a schedule.

Example:
    plateau = ml.Plateau(factor=0.5, patience=0)
    reduced = [plateau.update(optimizer, score) for score in (1.0, 1.0)]
    assert reduced == [False, True])")
      .def_property_readonly("options", options_of, "Dict of the arguments of the constructor.")
      .def(
          "state_dict",
          [](const Plateau& plateau) {
            py::dict state;
            state["best"] = plateau.state().best;
            state["bad"] = plateau.state().bad;
            state["cooldown"] = plateau.state().cooldown;
            return state;
          },
          R"(Returns the state: "best" is the best score, "bad" the number of scores since the last
improvement, and "cooldown" the number of coming scores that are not counted.

Example:
    assert ml.Plateau().state_dict()["bad"] == 0)")
      .def(
          "load_state_dict",
          [](Plateau& plateau, const py::dict& state) {
            const auto entry = [&](const char* key) -> py::object {
              if (state.contains(key)) return state[key];
              raise({.kind = ErrorKind::state,
                     .code = "E0919",
                     .message =
                         std::string("this is not the state of a plateau: it lacks '") + key + "'",
                     .help = "give what state_dict() of a Plateau returned"});
            };
            plateau.load_state({.best = entry("best").cast<double>(),
                                .bad = entry("bad").cast<std::int64_t>(),
                                .cooldown = entry("cooldown").cast<std::int64_t>()});
          },
          py::arg("state"), R"(Restores the state that `state_dict` returned.

Args:
    state: dict with "best", "bad" and "cooldown".

Raises:
    StateError: If an entry is missing.

Example:
    plateau = ml.Plateau()
    plateau.load_state_dict({"best": 0.25, "bad": 1, "cooldown": 0}))")
      .def("__repr__",
           [](const Plateau& plateau) { return shown_call("Plateau", options_of(plateau)); });
}

}  // namespace

void bind_schedules(py::module_& module) {
  bind_plateau(module);
  using Constant = ConstantSchedule;
  bind_schedule<Constant>(module, "ConstantSchedule",
                          R"(Keeps the learning rate constant after a linear warm-up.

Args:
    lr: learning rate after the warm-up.
    warmup: number of steps of the warm-up.
    warmup_start: the warm-up begins at warmup_start * lr.

Raises:
    ValueError: If an option is out of range.

Example:
    optimizer = ml.Adam(ml.ConstantSchedule(1e-3, warmup=100))

See docs/optimizers.md.)",
                          {{"lr", &Constant::lr},
                           {"warmup", &Constant::warmup},
                           {"warmup_start", &Constant::warmup_start}})
      .def(py::init([](double lr, std::int64_t warmup, double warmup_start) {
             return checked(Constant{lr, warmup, warmup_start});
           }),
           py::arg("lr") = 1e-3, py::kw_only(), py::arg("warmup") = 0,
           py::arg("warmup_start") = 0.0);
  bind_decay<CosineSchedule>(
      module, "CosineSchedule",
      R"(Lowers the learning rate along half a cosine, after a linear warm-up.

It equals CosineAnnealingLR of PyTorch after a LinearLR. After the last step the rate stays at
`end`.

Args:
    lr: largest learning rate.
    steps: number of steps, including the warm-up.
    warmup: number of steps of the warm-up.
    warmup_start: the warm-up begins at warmup_start * lr.
    end: last learning rate.

Raises:
    ValueError: If an option is out of range.

Example:
    optimizer = ml.AdamW(ml.CosineSchedule(1e-3, steps=1000, warmup=100))

See docs/optimizers.md.)");
  bind_decay<LinearSchedule>(module, "LinearSchedule",
                             R"(Lowers the learning rate linearly, after a linear warm-up.

It equals two LinearLR of PyTorch, one after the other. After the last step the rate stays at `end`.

Args:
    lr: largest learning rate.
    steps: number of steps, including the warm-up.
    warmup: number of steps of the warm-up.
    warmup_start: the warm-up begins at warmup_start * lr.
    end: last learning rate.

Raises:
    ValueError: If an option is out of range.

Example:
    optimizer = ml.AdamW(ml.LinearSchedule(1e-3, steps=1000, warmup=100))

See docs/optimizers.md.)");
  using Step = StepSchedule;
  bind_schedule<Step>(
      module, "StepSchedule",
      R"(Multiplies the learning rate by `gamma` after each `step_size` steps, as StepLR of PyTorch.

Args:
    lr: first learning rate.
    step_size: number of steps between two reductions.
    gamma: factor of the learning rate.

Raises:
    ValueError: If an option is out of range.

Example:
    optimizer = ml.Adam(ml.StepSchedule(0.1, step_size=1000, gamma=0.5))

See docs/optimizers.md.)",
      {{"lr", &Step::lr}, {"step_size", &Step::step_size}, {"gamma", &Step::gamma}})
      .def(py::init([](double lr, std::int64_t step_size, double gamma) {
             return checked(Step{lr, step_size, gamma});
           }),
           py::arg("lr") = 1e-3, py::kw_only(), py::arg("step_size"), py::arg("gamma") = 0.1);
  using OneCycle = OneCycleSchedule;
  bind_schedule<OneCycle>(
      module, "OneCycleSchedule",
      R"(Raises and then lowers the learning rate along cosines, as OneCycleLR of PyTorch.

The momentum of the optimizer does not change.

Args:
    lr: largest learning rate. The first one is lr / div_factor.
    steps: number of steps. After the last step the rate stays constant.
    pct_start: fraction of the steps in which the rate rises.
    div_factor: ratio of the largest and the first learning rate.
    final_div_factor: ratio of the first and the last learning rate.

Raises:
    ValueError: If an option is out of range.

Example:
    optimizer = ml.Adam(ml.OneCycleSchedule(0.1, steps=1000))

See docs/optimizers.md.)",
      {{"lr", &OneCycle::lr},
       {"steps", &OneCycle::steps},
       {"pct_start", &OneCycle::pct_start},
       {"div_factor", &OneCycle::div_factor},
       {"final_div_factor", &OneCycle::final_div_factor}})
      .def(py::init([](double lr, std::int64_t steps, double start, double div, double last) {
             return checked(OneCycle{lr, steps, start, div, last});
           }),
           py::arg("lr") = 1e-3, py::kw_only(), py::arg("steps"), py::arg("pct_start") = 0.3,
           py::arg("div_factor") = 25.0, py::arg("final_div_factor") = 1e4);
}

}  // namespace mithril::python
