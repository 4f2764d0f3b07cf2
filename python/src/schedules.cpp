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
      py::arg("steps"), "The learning rate of the step after so many steps.");
  bound.def_property_readonly(
      "options", [fields](const S& schedule) { return fields_of(schedule, fields); },
      "The arguments of the constructor by their names.");
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
  unknown_name(ErrorKind::name, "E0605", std::string(argument) + " of Plateau", word, "",
               {first, second});
}

void bind_plateau(py::module_& module) {
  py::class_<Plateau>(module, "Plateau",
                      "Reduces the learning rate of an optimizer when a score stops improving, as\n"
                      "torch.optim.lr_scheduler.ReduceLROnPlateau.\n\n"
                      "Example, once an epoch:\n"
                      "    plateau = ml.Plateau(factor=0.5, patience=3)\n"
                      "    plateau.update(optimizer, validation_loss)")
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
           "Counts the score; True if it reduced the rate. The lr of the optimizer is a number.")
      .def_property_readonly("options", options_of,
                             "The arguments of the constructor by their names.")
      .def(
          "state_dict",
          [](const Plateau& plateau) {
            py::dict state;
            state["best"] = plateau.state().best;
            state["bad"] = plateau.state().bad;
            state["cooldown"] = plateau.state().cooldown;
            return state;
          },
          "The best score, the number of scores since then, and how many are not counted yet.")
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
          py::arg("state"), "Restores a state_dict. StateError E0919 if it lacks an entry.")
      .def("__repr__",
           [](const Plateau& plateau) { return shown_call("Plateau", options_of(plateau)); });
}

}  // namespace

void bind_schedules(py::module_& module) {
  bind_plateau(module);
  using Constant = ConstantSchedule;
  bind_schedule<Constant>(module, "ConstantSchedule",
                          "A constant learning rate after a linear warm-up from\n"
                          "warmup_start * lr to lr.",
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
      "A linear warm-up, then half a cosine from lr to the rate `end`: CosineAnnealingLR.\n"
      "`steps` includes the warm-up. The rate stays at `end` afterwards.\n\n"
      "Example:\n"
      "    optimizer = ml.AdamW(ml.CosineSchedule(1e-3, steps=1000, warmup=100))");
  bind_decay<LinearSchedule>(module, "LinearSchedule",
                             "A linear warm-up, then a line from lr to the rate `end`: LinearLR.\n"
                             "`steps` includes the warm-up. The rate stays at `end` afterwards.");
  using Step = StepSchedule;
  bind_schedule<Step>(
      module, "StepSchedule",
      "A learning rate that is multiplied by gamma after each step_size steps: StepLR.",
      {{"lr", &Step::lr}, {"step_size", &Step::step_size}, {"gamma", &Step::gamma}})
      .def(py::init([](double lr, std::int64_t step_size, double gamma) {
             return checked(Step{lr, step_size, gamma});
           }),
           py::arg("lr") = 1e-3, py::kw_only(), py::arg("step_size"), py::arg("gamma") = 0.1);
  using OneCycle = OneCycleSchedule;
  bind_schedule<OneCycle>(
      module, "OneCycleSchedule",
      "OneCycleLR without its change of momentum: cosines from lr / div_factor up to lr in the\n"
      "part pct_start of the steps, and down to lr / (div_factor * final_div_factor).",
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
