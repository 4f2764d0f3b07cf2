// The classes of optimizers, which are those of mithril/optim/list.inc.
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril::python {
namespace {

// Python has a class for each optimizer, so C++ needs one, too. That of optimizers.hpp is generated
// by this module.
namespace optimizer_classes {
#define MITHRIL_OPTIMIZER(file, Name) \
  struct Name final : Optimizer {     \
    using Optimizer::Optimizer;       \
  };
#include "mithril/optim/list.inc"
#undef MITHRIL_OPTIMIZER
}  // namespace optimizer_classes

// The kinds of `lr`, in the words that python/mithril/_internal/arguments.py knows.
constexpr const char* kinds_of_rate =
    "float | ConstantSchedule | CosineSchedule | LinearSchedule | StepSchedule | OneCycleSchedule";

std::string kind_of_option(const Datum& value) {
  if (value.kind() == kind::bool_value) return "bool";
  return value.kind() == kind::tuple ? "tuple[float, float]" : "float";
}

std::string shown_default(const Datum& value) {
  return py::repr(object_of(value)).cast<std::string>();
}

// The constructor, as pybind11 writes those whose arguments it knows.
std::string constructor_of(const OptimizerDef& def) {
  std::string text = "__init__(self: mithril._core." + def.name + ", lr: " + kinds_of_rate + " = " +
                     shown_default(def.lr) + ", *";
  for (const OptimizerOption& option : def.options) {
    text += ", " + option.name + ": " + kind_of_option(option.value) + " = " +
            shown_default(option.value);
  }
  return text + ", groups: Sequence[ParameterGroup] = ()) -> None";
}

Datum option_value(const Datum& like, py::handle given) {
  if (like.kind() == kind::bool_value) return given.cast<bool>();
  if (like.kind() != kind::tuple) return given.cast<double>();
  const auto [first, second] = given.cast<std::pair<double, double>>();
  return Tuple{first, second};
}

struct OptimizerArguments {
  Schedule lr;
  OptimizerOptions options = {};
  std::vector<ParameterGroup> groups = {};
};

// TypeError of Python for arguments that do not fit; python/mithril/_internal/arguments.py says
// which.
OptimizerArguments arguments_of(const OptimizerDef& def, const py::args& args,
                                const py::kwargs& kwargs) try {
  OptimizerArguments made{.lr = def.lr};
  std::size_t taken = args.size();
  if (taken > 1) throw py::type_error("too many arguments");
  py::object lr = taken == 1 ? py::object(args[0]) : py::none();
  if (taken == 0 && kwargs.contains("lr")) lr = kwargs["lr"], ++taken;
  if (taken > 0) {
    made.lr =
        std::visit([](const auto& rule) { return Schedule(rule); }, lr.cast<Schedule::Rule>());
    taken -= args.size();
  }
  for (const OptimizerOption& option : def.options) {
    if (!kwargs.contains(option.name)) continue;
    made.options.emplace_back(option.name,
                              option_value(option.value, kwargs[py::str(option.name)]));
    ++taken;
  }
  if (kwargs.contains("groups")) {
    made.groups = kwargs["groups"].cast<std::vector<ParameterGroup>>();
    ++taken;
  }
  if (taken != kwargs.size()) throw py::type_error("an unknown argument");
  return made;
} catch (const py::cast_error&) {
  throw py::type_error("an argument of another kind");
}

template <typename Class>
void bind_optimizer_class(py::module_& module, const char* name) {
  const OptimizerDef& def = optimizer_def(name);
  py::options plain;
  plain.disable_function_signatures();
  py::class_<Class, Optimizer>(module, name, def.doc.c_str())
      .def(py::init([&def](const py::args& args, const py::kwargs& kwargs) {
             OptimizerArguments made = arguments_of(def, args, kwargs);
             return Class(def, made.lr, made.options, std::move(made.groups));
           }),
           constructor_of(def).c_str());
}

py::dict optimizer_record(const OptimizerDef& def) {
  py::dict record, options;
  for (const OptimizerOption& option : def.options) {
    options[py::str(option.name)] = object_of(option.value);
  }
  py::list slots;
  const Optimizer with_defaults(def, def.lr);
  for (const OptimizerSlot& slot : with_defaults.slots()) slots.append(slot.name);
  record["name"] = def.name;
  record["doc"] = def.doc;
  record["lr"] = def.lr;
  record["options"] = options;
  record["slots"] = slots;
  return record;
}

}  // namespace

void bind_optimizer_classes(py::module_& module) {
#define MITHRIL_OPTIMIZER(file, Name) bind_optimizer_class<optimizer_classes::Name>(module, #Name);
#include "mithril/optim/list.inc"
#undef MITHRIL_OPTIMIZER
  module.def(
      "optimizer_records",
      [] {
        py::list records;
        for (const OptimizerDef& def : optimizer_defs()) records.append(optimizer_record(def));
        return records;
      },
      "The records of the optimizers: names, documentation, options and slots.");
}

}  // namespace mithril::python
