// The library of models and ops, as records that the package makes classes of.
#include <pybind11/stl.h>

#include <algorithm>

#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/part_argument.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/part.hpp"
#include "mithril/op/registry.hpp"

namespace mithril::python {
namespace {

// The record of a port or an argument.
template <typename Def>
py::dict argument_entry(const Def& def, const std::string& kinds, const std::string& doc) {
  py::dict entry(py::arg("name") = def.name, py::arg("kinds") = kinds, py::arg("doc") = doc,
                 py::arg("required") = !def.fallback.has_value(), py::arg("words") = def.words);
  if (def.fallback) entry["default"] = object_of(*def.fallback);
  return entry;
}

py::dict port_entry(const PortDef& port) {
  return py::dict(py::arg("name") = port.name, py::arg("shape") = port.shape,
                  py::arg("type") = port.type);
}

// A model, several of them, a dict as pairs, or a value.
Datum argument_datum(py::handle object) {
  if (py::isinstance<Model>(object)) return argument_of(object.cast<const Model&>());
  const Nesting nesting;
  if (py::isinstance<py::dict>(object)) {
    Tuple pairs;
    for (const auto& [key, value] : object.cast<py::dict>())
      pairs.emplace_back(Tuple{datum_of(key), datum_of(value)});
    return Datum(std::move(pairs));
  }
  const auto is_model = [](py::handle item) { return py::isinstance<Model>(item); };
  if ((!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) ||
      std::none_of(object.begin(), object.end(), is_model))
    return datum_of(object);
  Tuple items;
  for (const py::handle item : object) items.push_back(argument_datum(item));
  return Datum(std::move(items));
}

// The error about an object that is not a value names the argument, too.
Datum named_argument(const std::string& model, const std::string& name, py::handle object) {
  try {
    return argument_datum(object);
  } catch (const TypeError& error) {
    if (error.code() != "E0390") throw;
    name_argument(error, "E0304", model, name);
  }
}

const char* name_of(CastPolicy policy) {
  if (policy == CastPolicy::lower) return "lower";
  return policy == CastPolicy::float32 ? "float32" : "promote";
}

py::list library() {
  py::list entries;
  for (const OpDef* op : all_ops()) {
    if (try_find_model(op->model_name))
      continue;  // a library model of this name takes precedence over the op
    py::list arguments, ports, lists, inputs, outputs;
    for (size_t i = 0; i < op->port_count(); ++i) {
      if (op->port(i).list) lists.append(op->port(i).name);
    }
    for (size_t i = 0; i < op->inputs.size(); ++i) {
      const PortDef& port = op->inputs[i];
      if (op->compiled.ports[i].value) arguments.append(argument_entry(port, port.type, ""));
      inputs.append(argument_entry(port, port.type, ""));
      ports.append(port_entry(port));
    }
    for (const PortDef& port : op->outputs) {
      outputs.append(port.name);
      ports.append(port_entry(port));
    }
    py::dict spellings;
    for (const Spelling& spelling : op->spell) spellings[py::str(spelling.target)] = spelling.text;
    entries.append(py::dict(py::arg("name") = op->model_name, py::arg("op") = op->name,
                            py::arg("doc") = op->doc, py::arg("internal") = op->internal,
                            py::arg("arguments") = arguments, py::arg("ports") = ports,
                            py::arg("lists") = lists, py::arg("inputs") = inputs,
                            py::arg("outputs") = outputs, py::arg("cast") = name_of(op->cast),
                            py::arg("spellings") = spellings));
  }
  for (const ModelDef* model : all_models()) {
    py::list arguments, ports;
    for (const ArgumentDef& def : model->arguments)
      arguments.append(argument_entry(def, def.kinds, def.doc));
    for (const DocumentedPort& port : model->ports) {
      ports.append(py::dict(py::arg("name") = port.name, py::arg("shape") = port.shape,
                            py::arg("note") = port.note));
    }
    entries.append(py::dict(
        py::arg("name") = model->name, py::arg("op") = py::none(), py::arg("doc") = model->doc,
        py::arg("arguments") = arguments, py::arg("ports") = ports, py::arg("lists") = py::list(),
        py::arg("alias_of") = model->alias_of, py::arg("renamed") = model->renamed));
  }
  return entries;
}

py::list public_names() {
  py::list names;
  for (const OpDef* op : all_ops()) {
    if (!op->internal && !try_find_model(op->model_name)) names.append(op->model_name);
  }
  for (const ModelDef* model : all_models()) names.append(model->name);
  return names;
}

}  // namespace

void bind_library(py::module_& module) {
  module.def("library", library, "Returns the records of all ops and all library models.");
  module.def("public_names", public_names, "Returns the names of the public records of library().");
  module.def(
      "make_model",
      [](const std::string& name, const py::dict& given, const std::optional<std::string>& label) {
        Arguments arguments;
        for (const auto& [key, value] : given) {
          const std::string argument = text_of(key);
          arguments.emplace_back(argument, named_argument(name, argument, value));
        }
        Model model = make_model(name, arguments);
        if (label) model.part()->give_name(*label);
        return model;
      },
      py::arg("name"), py::arg("arguments"), py::arg("label") = py::none(),
      "Makes the model or op of a record with these arguments.");
}

}  // namespace mithril::python
