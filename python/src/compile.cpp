// Compiling and evaluating.
#include <pybind11/stl.h>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "codegen/jax/write_jax.hpp"
#include "codegen/web/write_javascript.hpp"
#include "compile_arguments.hpp"
#include "convert.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/warning.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/per_sample/per_sample.hpp"

namespace mithril::python {
namespace {

KeyRef key_ref(py::handle key) {
  if (py::isinstance<Connection>(key)) return key.cast<Connection>();
  return text_of(key, "the name of a key, or a connection");
}

std::vector<KeyRef> key_refs(py::handle keys) {
  std::vector<KeyRef> refs;
  if (keys.is_none()) return refs;
  if (py::isinstance<py::str>(keys) || py::isinstance<Connection>(keys)) return {key_ref(keys)};
  if (!py::isinstance<py::iterable>(keys)) wrong_type(keys, "a list or a set of keys");
  for (const py::handle key : keys) refs.push_back(key_ref(key));
  return refs;
}

template <typename Value, typename Read>
std::vector<std::pair<KeyRef, Value>> key_map(py::handle dict, Read read) {
  std::vector<std::pair<KeyRef, Value>> result;
  if (dict.is_none()) return result;
  if (!py::isinstance<py::dict>(dict)) wrong_type(dict, "a dict of keys");
  for (const auto& [key, value] : dict.cast<py::dict>())
    result.emplace_back(key_ref(key), read(value));
  return result;
}

Binding constant_of(py::handle value) {
  if (py::isinstance<Tensor>(value) || has_dlpack(value)) return tensor_of(value);
  return datum_of(value);
}

template <typename Type>
void require(const char* name, py::handle given, const char* expected) {
  argument("compile", name, [&] {
    if (!py::isinstance<Type>(given)) wrong_type(given, expected);
  });
}

std::vector<KeyRef> keys_argument(const char* name, py::handle keys) {
  return argument("compile", name, [&] { return key_refs(keys); });
}

std::vector<std::string> patterns_argument(const char* name, py::handle patterns) {
  return argument("compile", name, [&] {
    std::vector<std::string> texts;
    if (patterns.is_none()) return texts;
    if (py::isinstance<py::str>(patterns)) return std::vector{text_of(patterns)};
    if (!py::isinstance<py::iterable>(patterns)) wrong_type(patterns, "a list of patterns of keys");
    for (const py::handle each : patterns) texts.push_back(text_of(each, "a pattern of keys"));
    return texts;
  });
}

template <typename Value, typename Read>
auto map_argument(const char* name, py::handle dict, Read read) {
  return argument("compile", name, [&] { return key_map<Value>(dict, read); });
}

// Keys with names instead of connections, for pickling.
py::list names_of(const std::vector<KeyRef>& keys) {
  py::list names;
  for (const KeyRef& key : keys) names.append(key.name());
  return names;
}

py::dict by_name(py::handle given) {
  py::dict named;
  if (given.is_none()) return named;
  for (const auto& [key, value] : given.cast<py::dict>())
    named[py::str(key_ref(key).name())] = value;
  return named;
}

void write_source(const CompiledModel& compiled, py::handle path, const py::dict& data) {
  const std::string file = path_of(path);
  const std::string_view ending = ending_of(file, {".cpp", ".cc", ".cxx", ".mjs", ".py"});
  if (ending == ".py") return write_jax(compiled.exported_with_open_sizes(), file);
  const ExportedModel exported = compiled.exported(tensor_map_of(data));
  ending == ".mjs" ? write_javascript(exported, file) : write_cpp(exported, file);
}

// Writes the source of a compiled model, or of a PerSample, which has its own method.
void write_any_source(py::handle compiled, py::handle path, const py::dict& data,
                      py::handle validation) {
  if (py::isinstance<PerSample>(compiled)) {
    compiled.attr("codegen")(path, py::arg("data") = data, py::arg("validation") = validation);
    return;
  }
  if (!py::isinstance<CompiledModel>(compiled)) wrong_type(compiled, "a compiled model");
  if (!validation.is_none()) wrong_type(validation, "None: only a PerSample takes validation data");
  write_source(compiled.cast<const CompiledModel&>(), path, data);
}

py::object group_or_none(const std::shared_ptr<Communicator>& group) {
  if (!group) return py::none();
  return py::module_::import("mithril.distributed").attr("Group")(group);
}

// Compiles for one backend, or for several.
CompiledModel compile_for(const Model& model, py::handle backend, py::handle backends,
                          const CompileOptions& options) {
  if (backends.is_none()) {
    if (backend.is_none()) {
      const std::string message = "compile: argument 'backend' is missing";
      const std::string help = "pass a backend, such as ml.CpuBackend()";
      raise({.kind = ErrorKind::type, .code = "E0398", .message = message, .help = help});
    }
    require<Backend>("backend", backend, "a backend, such as ml.CpuBackend()");
    return compile(model, backend.cast<std::shared_ptr<Backend>>(), options);
  }
  if (!backend.is_none()) {
    const std::string message = "compile takes either a backend or backends";
    const std::string help = "name the backend in backends, at the path \"\"";
    raise({.kind = ErrorKind::value, .code = "E0437", .message = message, .help = help});
  }
  return compile(model, backends_argument(backends), options);
}

// Also keeps the backend alive, so that `backend` is the user's object.
py::object compile_model(py::handle model, py::handle backend, py::handle backends,
                         py::handle shapes, py::handle types, py::handle data_keys,
                         py::handle constant_keys, py::handle trainable_keys, py::handle frozen,
                         py::handle discard_keys, py::handle outputs, bool inference, bool jit,
                         bool use_short_namings, py::handle file_path, bool safe_shapes,
                         bool use_checkpointing, bool debug, bool quiet,
                         const std::string& optimization_level, bool cache, py::handle group,
                         py::handle replicated_keys, const std::string& optimizer_state,
                         py::handle placements, py::handle mesh, std::int64_t bucket_bytes) {
  require<Model>("model", model, "a model to compile");
  const auto& source = model.cast<const Model&>();
  const CompileOptions given{
      .shapes = map_argument<ShapeSpec>("shapes", shapes, shape_of),
      .types = map_argument<PortType>("types", types, port_type_of),
      .constant_keys = map_argument<Binding>("constant_keys", constant_keys, constant_of),
      .data_keys = keys_argument("data_keys", data_keys),
      .trainable_keys = keys_argument("trainable_keys", trainable_keys),
      .frozen = patterns_argument("frozen", frozen),
      .discard_keys = keys_argument("discard_keys", discard_keys),
      .outputs = keys_argument("outputs", outputs),
      .inference = inference,
      .jit = jit,
      .use_short_namings = use_short_namings,
      .safe_shapes = safe_shapes,
      .optimization_level = optimization_level_named(optimization_level),
      .debug = debug,
      .quiet = quiet,
      .use_checkpointing = use_checkpointing,
      .group = group_argument(group),
      .replicated_keys = patterns_argument("replicated_keys", replicated_keys),
      .bucket_bytes = bucket_bytes,
      .optimizer_state = optimizer_state_named(optimizer_state),
      .placements = placements_argument(placements),
      .mesh = mesh_argument(mesh),
      .cache = cache};
  const CompiledModel compiled = compile_for(source, backend, backends, given);
  for (const std::string& warning : compiled.warnings()) {
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) != 0) throw py::error_already_set();
  }
  if (!file_path.is_none()) write_source(compiled, file_path, py::dict());
  py::object made = py::cast(compiled);
  const py::dict options(
      py::arg("backends") = backends, py::arg("shapes") = by_name(shapes),
      py::arg("types") = by_name(types), py::arg("data_keys") = names_of(given.data_keys),
      py::arg("constant_keys") = by_name(constant_keys),
      py::arg("trainable_keys") = names_of(given.trainable_keys), py::arg("frozen") = given.frozen,
      py::arg("discard_keys") = names_of(given.discard_keys),
      py::arg("outputs") = names_of(given.outputs), py::arg("inference") = inference,
      py::arg("jit") = jit, py::arg("use_short_namings") = use_short_namings,
      py::arg("safe_shapes") = safe_shapes, py::arg("use_checkpointing") = use_checkpointing,
      py::arg("debug") = debug, py::arg("quiet") = quiet,
      py::arg("optimization_level") = optimization_level, py::arg("cache") = cache);
  // The arguments with which unpickling compiles again (mithril/pickling.py).
  made.attr("_source") = py::make_tuple(model, source.composite()->revision, backend, options);
  return made;
}

py::dict shapes_of(const CompiledModel& model) {
  py::dict result;
  for (const auto& [key, shape] : model.shapes()) result[py::str(key)] = sizes_of(shape);
  return result;
}

}  // namespace

void bind_compile(py::module_& module) {
  set_warning_handler({});  // Python raises its own warnings
  bind_backends(module);
  bind_placements(module);
  module.def("compile", compile_model, py::arg("model"), py::arg("backend") = py::none(),
             py::kw_only(), py::arg("backends") = py::none(), py::arg("shapes") = py::none(),
             py::arg("types") = py::none(), py::arg("data_keys") = py::none(),
             py::arg("constant_keys") = py::none(), py::arg("trainable_keys") = py::none(),
             py::arg("frozen") = py::none(), py::arg("discard_keys") = py::none(),
             py::arg("outputs") = py::none(), py::arg("inference") = false, py::arg("jit") = true,
             py::arg("use_short_namings") = false, py::arg("file_path") = py::none(),
             py::arg("safe_shapes") = true, py::arg("use_checkpointing") = false,
             py::arg("debug") = false, py::arg("quiet") = false,
             py::arg("optimization_level") = "standard", py::arg("cache") = false,
             py::arg("group") = py::none(), py::arg("replicated_keys") = py::none(),
             py::arg("optimizer_state") = "replicated", py::arg("placements") = py::none(),
             py::arg("mesh") = py::none(), py::arg("bucket_bytes") = CompileOptions().bucket_bytes,
             R"(Compiles a model for a backend and returns a CompiledModel.

Shapes, types and constants hold for this compile only, and the model does not change. A key is a
name or a Connection, and may be in one key set only. By default a float tensor input without a
value is a parameter unless it is canonical. `differentiable=False` freezes those of layers.

Args:
    model: the Model to compile.
    backend: a CpuBackend, a TorchBackend or a JaxBackend.
    backends: instead of `backend`, {path of a part: backend}. The path "" is all other parts.
    shapes: {key: sizes}. A size is an int, a name, or None if it may differ between evaluations.
    types: {key: type}, such as {"x": ml.Tensor[int]}.
    data_keys: inputs that are data, not parameters.
    constant_keys: {key: value} of inputs whose value is constant.
    trainable_keys: inputs that are parameters.
    frozen: patterns of parameters that stay as they are, such as "encoder.*": without gradients.
    discard_keys: outputs to leave out, with the inputs that only they need.
    outputs: outputs to compute. None: all; with inference=True all except losses and metrics.
    inference: whether to compile in inference mode, without gradients.
    jit: whether the backend may compile the graph.
    use_short_namings: whether a parameter is called "weight_0" instead of "encoder.fc1.weight".
    file_path: a path ending in .cpp, .mjs or .py to which the compiled model is also written.
    safe_shapes: whether each evaluation checks the ranks and sizes of its inputs.
    use_checkpointing: whether gradients recompute forward values, which saves memory.
    debug: whether to print a line for each computed value and stop at the first NaN or infinity.
    quiet: whether `debug` prints only the first value that has a NaN or an infinity.
    optimization_level: "none", "standard", or "max", which compiles longer for faster runs.
    cache: whether to keep optimized graphs on disk and reuse them.
    group: the processes that train together, from ml.distributed.init(). None: this one alone.
    replicated_keys: data inputs that all processes get whole. The others hold rows of the batch.
    optimizer_state: with "sharded" each process of the group holds 1/n of the slots of the
        optimizer and of averages.
    placements: {pattern: ml.Sharded(axis)} of parameters of which each process holds a block.
    mesh: {"data": processes that share rows, "model": processes that share parameters}, whose
        product is the size of the group. None: all share parameters if there are placements.
    bucket_bytes: the largest number of bytes of gradients that are exchanged at once.

Raises:
    NameError: If a key is unknown.
    ShapeError: If the shapes contradict each other.
    BackendError: If the backend does not support an op or an option.
    DistributedError: If the processes of the group compile different models.

Example:
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 4]})
    outputs = compiled.evaluate(compiled.get_parameters(), {"x": np.zeros((8, 4), np.float32)})

See docs/semantics.md.)");
  module.def("codegen", write_any_source, py::arg("compiled"), py::arg("path"), py::kw_only(),
             py::arg("data") = py::dict(), py::arg("validation") = py::none(),
             R"(Writes a compiled model to one source file.

The ending of the path selects the language: .cpp is C++17 with a C interface that needs only the
standard library, .mjs is JavaScript, .py is a module for JAX. C++ and JavaScript contain the
gradients, and are for inputs of one size. For a PerSample the file computes the norms of the
gradients of the samples. `ml.export` does this for every target. See
docs/semantics.md.

Args:
    compiled: a CompiledModel or a PerSample.
    data: an example of each input whose sizes are open.
    validation: for a PerSample, an example of validation data: the file computes dot products.

Raises:
    InputError: If sizes are open and `data` has no example.

Example:
    ml.codegen(compiled, "model.cpp", data=data))");
  py::class_<HookHandle>(module, "HookHandle", "A hook on a compiled model.")
      .def("remove", &HookHandle::remove, "Removes the hook.");
  py::class_<CompiledModel> compiled(module, "CompiledModel", py::dynamic_attr(),
                                     R"(A model that `compile` compiled for a backend.

It is immutable, except for hooks: many threads may evaluate it at a time. See docs/semantics.md.

Example:
    outputs, gradients = compiled.evaluate(params, data, output_gradients=True)
    print(outputs["loss"], gradients["weight"].shape))");
  compiled
      .def_property_readonly(
          "group", [](const CompiledModel& m) { return group_or_none(m.group()); },
          "The group it was compiled for; None without one. See docs/distributed.md.")
      .def_property_readonly(
          "data_group", [](const CompiledModel& m) { return group_or_none(m.data_group()); },
          "The processes of the group that share the rows of a batch: all of them without a mesh. "
          "See docs/distributed.md.")
      .def_property_readonly("sharded_keys", &CompiledModel::sharded_keys,
                             "Parameters of which this process holds a block. See "
                             "docs/distributed.md.")
      .def_property_readonly("replicated_keys", &CompiledModel::replicated_keys,
                             "Data inputs that every process of the group gets whole. See "
                             "docs/distributed.md.");
  bind_inference(compiled);
  bind_weights(module, compiled);
  compiled
      .def(
          "save_torchscript",
          [](const CompiledModel& m, py::handle path, const py::dict& params,
             const py::dict& data) {
            m.save_torchscript(path_of(path), tensor_map_of(params), tensor_map_of(data));
          },
          py::arg("path"), py::arg("params"), py::arg("data") = py::dict(),
          R"(Writes a TorchScript file that `torch.jit.load` runs without Mithril.

`ml.export` does this for every target.

Args:
    data: an example of each input whose sizes are open. The file accepts these sizes only.

Raises:
    BackendError: If the model was not compiled for a TorchBackend.
    StateError: If the model has a state. Save the model that `bind` returns.

Example:
    for_torch = ml.compile(model, ml.TorchBackend(), shapes={"x": [8, 4]})
    for_torch.save_torchscript("model.pt", for_torch.get_parameters()))")
      .def(
          "register_hook",
          [](CompiledModel& m, const std::string& path, const py::function& function,
             bool gradient) {
            const auto call = [function = shared_function(function)](const Tensor& value) {
              const InterpreterLocked lock;
              const py::object given = (*function)(array_of(value));
              return given.is_none() ? std::nullopt : std::optional(tensor_of(given));
            };
            return m.register_hook(path, call, {.gradient = gradient});
          },
          py::arg("path"), py::arg("fn"), py::kw_only(), py::arg("gradient") = false,
          R"(Makes each evaluation call `fn` with a value, and returns a handle with `remove()`.

The hook of a value in a loop is called in each step, which `ml.loop_steps()` returns there. That of
a value in a branch is called if the branch runs. That of a value in a `vmap` sees all indices at
once. See docs/loops.md.

Args:
    path: the path of a value, such as "hidden" or "encoder.fc1.output".
    fn: a function of one array. An array of the same shape that it returns replaces the value; None
        keeps it.
    gradient: whether `fn` gets the gradient of the value instead.

Raises:
    NameError: If there is no value of this path.

Example:
    compiled.register_hook("y", lambda value: print(value.shape))
    compiled.evaluate(params, data))")
      .def_property_readonly("backend", &CompiledModel::backend,
                             "The backend for which the model was compiled.")
      .def_property_readonly("input_keys", &CompiledModel::input_keys,
                             "The keys of all inputs: parameters, then data.")
      .def_property_readonly("parameter_keys", &CompiledModel::parameter_keys,
                             "The keys of the parameters.")
      .def_property_readonly("data_keys", &CompiledModel::data_keys, "The keys of the data.")
      .def_property_readonly("output_keys", &CompiledModel::output_keys, "The keys of the outputs.")
      .def_property_readonly("shapes", shapes_of,
                             "The shapes of inputs and outputs, in the form of `Model.get_shapes`.")
      .def_property_readonly("warnings", &CompiledModel::warnings,
                             "The warnings of `compile`: inputs whose names look misspelt.")
      .def("summary", &CompiledModel::summary, py::call_guard<InterpreterUnlocked>(),
           R"(Returns a table of inputs and outputs with the number of parameters, as text.

Example:
    print(compiled.summary()))")
      .def("__repr__",
           [](const CompiledModel& m) {
             return "<CompiledModel for " + std::string(m.backend()->name()) + ": " +
                    join(m.data_keys(), ", ") + " -> " + join(m.output_keys(), ", ") + "; " +
                    std::to_string(m.parameter_keys().size()) + " parameters>";
           })
      .def("_copy", [](const CompiledModel& m) { return m; });
}

}  // namespace mithril::python
