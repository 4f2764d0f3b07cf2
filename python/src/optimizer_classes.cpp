// The classes of optimizers, which are those of mithril/optim/list.inc.
#include <pybind11/stl.h>

#include <sstream>
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

// The text in lines of at most 100 characters, the first indented by `indent`, the others by more.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string lines, line = indent;
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > 100) {
      lines += line + "\n";
      line = indent + "    ";
    }
    line += (line.find_last_not_of(' ') == std::string::npos ? "" : " ") + word;
  }
  return lines + line + "\n";
}

std::string shown_range(const OptimizerOption& option) {
  if (option.value.kind() == kind::bool_value) return "";
  const bool is_pair = option.value.kind() == kind::tuple;
  if (option.range == OptionRange::at_least_0)
    return is_pair ? ", both at least 0" : ", at least 0";
  return is_pair ? ", both at least 0 and below 1" : ", at least 0 and below 1";
}

std::string documentation_of(const OptimizerDef& def) {
  std::string text = def.doc + "\n\n";
  if (!def.source.empty()) text += wrapped("Source: " + def.source, "") + "\n";
  const std::string rate = shown_default(def.lr);
  text +=
      "Args:\n" +
      wrapped("lr: learning rate, at least 0: a number or a schedule. The default is " + rate + ".",
              "    ");
  for (const OptimizerOption& option : def.options) {
    text += wrapped(option.name + ": " + option.doc + shown_range(option) + ". The default is " +
                        shown_default(option.value) + ".",
                    "    ");
  }
  text +=
      "    groups: list of `ParameterGroup`, with other options for some of the parameters.\n\n";
  text += "Raises:\n    ValueError: If an option is out of range.\n\n";
  text += "Example:\n    optimizer = ml." + def.name + "(lr=" + rate + ")\n";
  return text + "    step = ml.TrainingStep(compiled, optimizer)\n\nSee docs/optimizers.md.";
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
  py::class_<Class, Optimizer>(module, name, documentation_of(def).c_str())
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
  record["source"] = def.source;
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
