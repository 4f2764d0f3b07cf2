// Models, and the bindings of their ports.
#include <pybind11/stl.h>

#include <algorithm>

#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/html.hpp"
#include "mithril/op/op_def.hpp"
#include "source_lines.hpp"

namespace mithril::python {
namespace {

const Connection& connection_of(py::handle object) {
  if (!py::isinstance<Connection>(object)) wrong_type(object, "a connection");
  return object.cast<const Connection&>();
}

bool holds_binding(py::handle object) {
  if (py::isinstance<Connection>(object) || py::isinstance<Tensor>(object) || has_dlpack(object))
    return true;
  if (!py::isinstance<py::tuple>(object) && !py::isinstance<py::list>(object)) return false;
  const Nesting nesting;
  return std::any_of(object.begin(), object.end(), [](py::handle item) {
    return holds_binding(item) || py::isinstance<py::str>(item);
  });
}

std::vector<std::string> output_names(const Model& model) {
  const std::shared_ptr<Part>& part = model.part();
  if (!part->op) return model.output_keys();
  std::vector<std::string> names;
  for (const PortDef& port : part->op->outputs) names.push_back(port.name);
  return names;
}

// A call with a string or a named output is a binding, any other call an application.
bool is_binding(const Model& model, const py::args& args, const py::kwargs& kwargs) {
  if (args.empty() && kwargs.empty()) return true;
  const auto is_text = [](py::handle object) { return py::isinstance<py::str>(object); };
  if (std::any_of(args.begin(), args.end(), is_text)) return true;
  const std::vector<std::string> outputs = output_names(model);
  for (const auto& [key, value] : kwargs) {
    if (is_text(value)) return true;
    if (std::find(outputs.begin(), outputs.end(), text_of(key)) != outputs.end()) return true;
  }
  return false;
}

Bindings call_bindings(const Model& model, const py::args& args, const py::kwargs& kwargs) {
  Bindings bindings;
  if (!args.empty()) {
    const std::vector<std::string> order = model.call_order();
    if (args.size() > order.size()) {
      raise({.kind = ErrorKind::connection,
             .code = "E0110",
             .message = model.class_name() + " takes " + std::to_string(order.size()) +
                        " inputs, not " + std::to_string(args.size())});
    }
    for (size_t i = 0; i < args.size(); ++i) bindings.emplace_back(order[i], binding_of(args[i]));
  }
  for (auto& binding : bindings_of(kwargs)) bindings.push_back(std::move(binding));
  return bindings;
}

py::object call(const Model& model, const py::args& args, const py::kwargs& kwargs) {
  Bindings bindings = call_bindings(model, args, kwargs);
  if (is_binding(model, args, kwargs)) return py::cast(model.connect(std::move(bindings)));
  std::vector<Connection> outputs = model.apply(bindings);
  note_line(model.part());
  if (outputs.size() == 1) return py::cast(outputs.front());
  return py::tuple(py::cast(std::move(outputs)));
}

template <typename Function>
auto in_place(Function function) {
  return [function](py::object self, py::handle part) {
    Model& model = py::cast<Model&>(self);
    if (py::isinstance<Call>(part)) {
      add_with_line(function, model, py::cast<const Call&>(part));
    } else if (py::isinstance<Model>(part)) {
      const Model& added = py::cast<Model&>(part);
      add_with_line(function, model, Call{added.part(), {}});
    } else {
      if (!py::isinstance<Connection>(part))
        wrong_type(part, "a model, a part with its ports bound, or a connection");
      model |= py::cast<Connection>(part);
    }
    return self;
  };
}

// The key; or a tuple of key_0, key_1, ... if there is no such key.
py::object key_or_family(const Model& model, const std::string& key) {
  try {
    return py::cast(model.at(key));
  } catch (const NameError&) {
    py::list family;
    try {
      while (true) family.append(model.at(key + "_" + std::to_string(family.size())));
    } catch (const NameError&) {
      if (family.empty()) return {};
    }
    return py::tuple(family);
  }
}

bool is_made(py::handle object) {
  auto* instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  return instance->get_value_and_holder().holder_constructed();
}

}  // namespace

Binding binding_of(py::handle object) {
  if (py::isinstance<py::str>(object)) return text_of(object);
  if (py::isinstance<Connection>(object)) return object.cast<Connection>();
  if (py::isinstance<Tensor>(object)) return object.cast<Tensor>();
  if ((py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object)) &&
      holds_binding(object)) {
    const Nesting nesting;
    std::vector<Binding> items;
    for (const py::handle item : object) items.push_back(binding_of(item));
    return items;
  }
  if (has_dlpack(object) && py::hasattr(object, "ndim") &&
      py::object(object.attr("ndim")).not_equal(py::int_(0)))
    return tensor_of(object);
  if (py::isinstance<py::slice>(object)) {
    const py::object start = object.attr("start"), stop = object.attr("stop"),
                     step = object.attr("step");
    if (holds_binding(start) || holds_binding(stop) || holds_binding(step)) {
      return apply("make_slice", {binding_of(start), binding_of(stop), binding_of(step)});
    }
  }
  return datum_of(object);
}

Bindings bindings_of(const py::dict& ports) {
  Bindings bindings;
  for (const auto& [port, value] : ports)
    bindings.emplace_back(text_of(port, "the name of a port"), binding_of(value));
  return bindings;
}

void bind_models(py::module_& module) {
  find_library_folder();
  py::class_<Call>(module, "Call", "A part with its ports bound, for model |= part(input=\"x\").");
  py::class_<RandomKey>(module, "RandomKey",
                        R"(An initial value of a state that is a key of random numbers.

The state starts as a hash of the seed and of the path of the state in the compiled model. The
model adds 1 to it for the next evaluation. See docs/semantics.md.

Example:
    model |= ml.RandomUniform()(like="x", key="key", output="noise")
    model |= ml.Add()(left="key", right=1, output="next_key")
    model.bind_state_keys("key", "next_key", ml.RandomKey(seed=3)))")
      .def(py::init<int64_t>(), py::arg("seed") = 0)
      .def_readonly("seed", &RandomKey::seed, "The seed of the random numbers.")
      .def("__repr__",
           [](const RandomKey& key) { return "RandomKey(" + std::to_string(key.seed) + ")"; });
  py::class_<Model> model(module, "Model", py::dynamic_attr(),
                          R"(A set of parts with named ports.

A part is an op, a layer or another model. `model |= part(input="x", output="h")` adds a part and
binds its ports to keys of the model. `model += part` connects the canonical input of the part to
the canonical output of the model. An unbound input stays an input of the model, and its name is
its path, such as "encoder.fc1.weight". Shapes and types are inferred as parts are added.

Example:
    net = ml.Model("net")
    net |= ml.Linear(8)(input="x", output="h")
    net += ml.Relu()
    net += ml.Linear(2)(output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 4]})

See docs/semantics.md.)");
  model
      .def(py::init([](py::handle name) {
             if (name.is_none()) return Model();
             // A library class is the handle of a model that its record made.
             if (py::isinstance<Model>(name)) return name.cast<const Model&>();
             return Model(text_of(name, "the name of the model"));
           }),
           py::arg("name") = py::none())
      .def_static(
          "create",
          [](const py::args& only, const py::kwargs& outputs) {
            std::vector<std::pair<std::string, Connection>> named;
            std::string name;
            if (only.size() > 1) {
              raise({.kind = ErrorKind::type,
                     .code = "E0396",
                     .message = "Model.create takes at most 1 of its arguments by position, not " +
                                std::to_string(only.size()),
                     .help = "name the outputs: Model.create(output=h, loss=l)"});
            }
            for (const py::handle output : only)
              named.emplace_back("output", connection_of(output));
            for (const auto& [key, value] : outputs) {
              if (text_of(key) == "name" && py::isinstance<py::str>(value))
                name = text_of(value);
              else
                named.emplace_back(text_of(key), connection_of(value));
            }
            return Model::create(named, name);
          },
          R"(Creates a model that computes connections: Model.create(output=h), or Model.create(h).

The model has copies of the parts of the expression, and the expression does not change.

Example:
    x = ml.IOKey("x")
    block = ml.Model.create(y=ml.Linear(4)(x) + x))")
      .def("__call__", call,
           R"(Binds the ports, for model |= part(input="x"), or applies the model to connections.

A call with a string or a named output returns the part with its ports bound. Any other call adds
the part to the model of the connections and returns its output, or a tuple of its outputs.)")
      .def(
          "connect",
          [](const Model& m, const py::args& args, const py::kwargs& kwargs) {
            return m.connect(call_bindings(m, args, kwargs));
          },
          R"(Returns the part with its ports bound: model |= part.connect(input="x").

Example:
    model |= ml.Relu().connect(input="y", output="z"))")
      .def("__ior__", in_place([](Model& m, const Call& c) { m |= c; }), py::arg("part"))
      .def("__iadd__", in_place([](Model& m, const Call& c) { m += c; }), py::arg("part"))
      .def(
          "__getattr__",
          [](const Model& m, const std::string& key) -> py::object {
            if (key.rfind("__", 0) == 0) no_attribute("a model has no attribute '" + key + "'");
            if (py::object found = key_or_family(m, key)) return found;
            try {
              return py::cast(m.at(key));
            } catch (const NameError& error) {
              raise_attribute_error(error);
            }
          },
          py::arg("key"))
      .def_property_readonly("input_keys", &Model::input_keys,
                             "The keys of the inputs. An input without a name has its path.")
      .def_property_readonly("output_keys", &Model::output_keys,
                             "The keys of the outputs: the exposed ones, or all named ones.")
      .def_property_readonly("cin", &Model::cin, "The canonical input, if there is exactly one.")
      .def_property_readonly("cout", &Model::cout, "The canonical output, if there is exactly one.")
      .def_property_readonly("cins", &Model::cins, "All canonical inputs.")
      .def_property_readonly("couts", &Model::couts, "All canonical outputs.")
      .def_property_readonly("name", &Model::name, "The name of the model, or \"\" if it has none.")
      .def_property_readonly("class_name", &Model::class_name, "The name of the class: \"Linear\".")
      .def("_set_size_advice",
           [](Model& m, const std::string& text) { m.composite()->size_advice = text; })
      .def_property_readonly("_revision", [](const Model& m) { return m.composite()->revision; })
      .def(
          "expose_keys",
          [](Model& m, const py::args& keys, const py::kwargs& named) {
            std::vector<std::pair<std::string, Connection>> all;
            for (const py::handle key : keys)
              all.emplace_back(text_of(key, "the name of a key"), m.at(text_of(key)));
            for (const auto& [key, value] : named) {
              all.emplace_back(text_of(key), py::isinstance<py::str>(value) ? m.at(text_of(value))
                                                                            : connection_of(value));
            }
            m.expose_keys(all);
          },
          R"(Makes these keys the outputs. expose_keys(logits="h") exposes "h" as "logits".

Raises:
    NameError: If the model has no such key.

Example:
    model.expose_keys(logits="y"))")
      .def("rename_key", &Model::rename_key, py::return_value_policy::reference_internal,
           py::arg("key"), py::arg("name"), R"(Renames a key or an unnamed port.

Raises:
    NameError: If the model has no such key, or has the new name already.

Example:
    model.rename_key("y", "logits"))")
      .def(
          "merge_connections",
          [](Model& m, const py::args& connections, const std::string& name) {
            std::vector<Binding> bindings;
            for (const py::handle item : connections) bindings.push_back(binding_of(item));
            m.merge_connections(bindings, name);
          },
          py::arg("name") = "", R"(Merges connections into one with this name.

Example:
    pair = ml.Model()
    pair |= ml.Relu()(input="left", output="a")
    pair |= ml.Sigmoid()(input="right", output="b")
    pair.merge_connections("left", "right", name="x"))")
      .def("_repr_html_", &to_html)
      .def("__repr__", [](py::handle self) {
        // Also works for an object whose constructor raised: pytest shows it with the arguments of
        // the call.
        const std::string of_class = py::str(py::type::handle_of(self).attr("__name__"));
        if (!is_made(self)) return "<" + of_class + " that could not be made>";
        const Model& m = self.cast<const Model&>();
        return "<" + m.class_name() + (m.name().empty() ? "" : " '" + m.name() + "'") + ">";
      });
  bind_model_facts(model);
  bind_model_copies(model);
  bind_part_views(module, model);
  bind_edits(module, model);
  bind_views(module, model);
}

}  // namespace mithril::python
