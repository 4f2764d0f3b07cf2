// Checkpoints, and weights of other programs as parameters.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "metadata.hpp"
#include "mithril/training/checkpoint.hpp"
#include "mithril/training/load_weights.hpp"

namespace mithril::python {
namespace {

std::vector<std::string> texts_of(py::handle given, const char* expected) {
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given)) {
    return {text_of(given, expected)};
  }
  std::vector<std::string> texts;
  for (const py::handle each : given) texts.push_back(text_of(each, expected));
  return texts;
}

WeightSource weight_source_of(py::handle given) {
  constexpr const char* expected = "the name of a tensor, a list of names, or a WeightSource";
  if (py::isinstance<WeightSource>(given)) return given.cast<WeightSource>();
  return texts_of(given, expected);
}

WeightOptions weight_options(bool strict, const std::string& prefix, py::handle name_map,
                             py::handle ignore, bool return_state) {
  WeightOptions options{.strict = strict, .prefix = prefix, .return_state = return_state};
  if (!name_map.is_none()) {
    if (!py::isinstance<py::dict>(name_map)) wrong_type(name_map, "a dict of patterns, or None");
    for (const auto& [pattern, source] : name_map.cast<py::dict>()) {
      options.name_map.emplace_back(text_of(pattern, "a pattern"), weight_source_of(source));
    }
  }
  options.ignore = texts_of(ignore, "a list of patterns");
  return options;
}

py::object report_of(const WeightReport& report) {
  py::dict casts;
  for (const auto& [key, from, to] : report.casts) {
    casts[py::str(key)] = py::make_tuple(from, to);
  }
  return py::module_::import("mithril.files")
      .attr("WeightReport")(report.missing, report.unexpected, report.tied, casts);
}

// The parameters of a dict or of a file, with the state of a checkpoint.
TensorMap saved_weights(py::handle saved) {
  if (py::isinstance<py::dict>(saved)) return tensor_map_of(saved.cast<py::dict>());
  if (!py::isinstance<py::str>(saved) && !py::hasattr(saved, "__fspath__")) {
    wrong_type(saved, "a dict of arrays, or the path of a file");
  }
  const py::object loaded = py::module_::import("mithril.loading").attr("load")(saved);
  const TensorMap params = tensor_map_of(loaded.attr("params").cast<py::dict>());
  if (!py::hasattr(loaded, "state")) return params.share();
  return with_state(params, State(tensor_map_of(loaded.attr("state").cast<py::dict>())));
}

py::object load_state_dict(const CompiledModel& compiled, py::handle saved, bool strict,
                           const std::string& prefix, py::handle name_map, py::handle ignore,
                           bool return_state, bool return_report) {
  const WeightOptions options = weight_options(strict, prefix, name_map, ignore, return_state);
  const LoadedWeights loaded = load_weights(compiled, saved_weights(saved), options);
  if (!return_report && !return_state) return dict_of(loaded.params);
  py::list results;
  results.append(dict_of(loaded.params));
  if (return_state) results.append(dict_of(loaded.state));
  if (return_report) results.append(report_of(loaded.report));
  return py::tuple(results);
}

// Other parameters stay the same objects.
py::dict gather_parameters(const CompiledModel& compiled, const py::dict& params) {
  py::dict whole, blocks;
  for (const auto& [key, value] : params) whole[key] = value;
  for (const std::string& key : compiled.sharded_keys()) {
    if (params.contains(key)) blocks[py::str(key)] = params[py::str(key)];
  }
  if (blocks.empty()) return whole;
  for (const auto& [key, value] : dict_of(compiled.gather_parameters(tensor_map_of(blocks))))
    whole[key] = value;
  return whole;
}

// nullopt if it is None or disabled.
std::optional<GradScaler> scaler_of(py::handle given) {
  if (given.is_none()) return {};
  if (!py::isinstance(given,
                      py::module_::import("mithril.training.grad_scaler").attr("GradScaler"))) {
    wrong_type(given, "a GradScaler, or None");
  }
  const py::dict state = given.attr("state_dict")();
  if (state.empty()) return {};
  return GradScaler({.scale = state["scale"].cast<double>(),
                     .growth_factor = state["growth_factor"].cast<double>(),
                     .backoff_factor = state["backoff_factor"].cast<double>(),
                     .growth_interval = state["growth_interval"].cast<std::int64_t>(),
                     .growth_tracker = state["_growth_tracker"].cast<std::int64_t>()});
}

// The state of a scaler for GradScaler.load_state_dict.
py::dict scaler_dict(const std::optional<LossScale>& state) {
  py::dict made;
  if (!state) return made;
  made["scale"] = state->scale;
  made["growth_factor"] = state->growth_factor;
  made["backoff_factor"] = state->backoff_factor;
  made["growth_interval"] = state->growth_interval;
  made["_growth_tracker"] = state->growth_tracker;
  return made;
}

void save_checkpoint(py::handle path, const py::dict& params, const Model* model,
                     const Optimizer* optimizer, py::handle step, py::handle scaler,
                     py::handle metadata) {
  const std::string file = path_of(path);
  const TensorMap tensors = tensor_map_of(params);
  CheckpointParts parts{.model = model, .optimizer = optimizer, .metadata = metadata_of(metadata)};
  const std::optional<GradScaler> kept_scaler = scaler_of(scaler);
  if (kept_scaler) parts.scaler = &*kept_scaler;
  State state;
  if (py::isinstance<TrainingStep>(step)) {
    parts.step = &step.cast<const TrainingStep&>();
  } else if (py::isinstance<py::dict>(step)) {
    state = State(tensor_map_of(step.cast<py::dict>()));
    parts.state = &state;
  } else if (!step.is_none()) {
    wrong_type(step, "a TrainingStep, the dict of a state, or None");
  }
  save(file, tensors, parts);
}

// `state`: instead of that of the step; None: that of the step.
void save_together(const TrainingStep& step, py::handle path, const py::dict& params,
                   const Optimizer* optimizer, py::handle state, py::handle metadata) {
  const std::string file = path_of(path);
  const TensorMap tensors = tensor_map_of(params);
  CheckpointParts parts{.optimizer = optimizer, .metadata = metadata_of(metadata)};
  State given;
  if (state.is_none()) {
    parts.step = &step;
  } else {
    given = State(tensor_map_of(state.cast<py::dict>()));
    parts.state = &given;
  }
  const InterpreterUnlocked unlocked;
  step.save_together(file, tensors, parts);
}

// A tuple in the order of the fields of mithril.files.Checkpoint.
py::tuple load_checkpoint(py::handle path) {
  const Checkpoint loaded = load(path_of(path));
  return py::make_tuple(dict_of(loaded.params),
                        loaded.model ? object_of(*loaded.model) : py::object(py::none()),
                        dict_of(loaded.optimizer), dict_of(loaded.state),
                        scaler_dict(loaded.scaler), loaded.metadata);
}

}  // namespace

void bind_weights(py::module_& module, py::class_<CompiledModel>& compiled) {
  py::class_<WeightSource>(module, "WeightSource",
                           R"(Describes where `load_state_dict` takes a parameter from.

Each stored tensor is transposed, then the tensors are concatenated along the axis, then one of the
equal parts is taken.

Args:
    names: the name of a stored tensor, or a list of names. They may contain the wildcards of the
        pattern in `name_map`.
    transpose: whether the last two axes are exchanged.
    axis: the axis along which tensors are concatenated and split.
    part: index of the part to take.
    parts: number of equal parts.

Example:
    saved = {"fc.weight": params["weight"].T, "fc.bias": params["bias"]}
    name_map = {"weight": ml.WeightSource("fc.weight", transpose=True), "bias": "fc.bias"}
    params = compiled.load_state_dict(saved, name_map=name_map)

See docs/checkpoints.md.)")
      .def(py::init([](py::handle names, bool transpose, int axis, int part, int parts) {
             WeightSource source = weight_source_of(names);
             source.transpose = transpose;
             return source.taking(part, parts, axis);
           }),
           py::arg("names"), py::kw_only(), py::arg("transpose") = false, py::arg("axis") = 0,
           py::arg("part") = 0, py::arg("parts") = 1)
      .def_readonly("names", &WeightSource::names,
                    "List of the stored names, which may contain wildcards.")
      .def_readonly("transpose", &WeightSource::transpose,
                    "Whether the last two axes are exchanged.")
      .def_readonly("axis", &WeightSource::axis,
                    "The axis along which tensors are concatenated and split.")
      .def_readonly("part", &WeightSource::part, "Index of the part that is taken.")
      .def_readonly("parts", &WeightSource::parts, "Number of equal parts.");
  module.def("save", save_checkpoint, py::arg("path"), py::arg("params"),
             py::arg("model") = py::none(), py::arg("optimizer") = py::none(),
             py::arg("step") = py::none(), py::arg("scaler") = py::none(),
             py::arg("metadata") = py::none(),
             R"(Saves a checkpoint as a safetensors file.

The file is written atomically: it is complete, or an older file stays as it is. `ml.load` reads
it. A training run that continues from a checkpoint gives the same bits.

Args:
    path: path of the file.
    params: dict of parameters.
    model: the model, which is stored as JSON. None stores no model.
    optimizer: the optimizer whose state is stored.
    step: a `TrainingStep` whose state is stored, or the dict of a state that `evaluate` returned.
    scaler: the `GradScaler` whose state is stored.
    metadata: dict of strings. Keys that begin with "mithril." are reserved.

Raises:
    InputError: If the file cannot be written.

Example:
    ml.save("run.safetensors", params, optimizer=optimizer, step=step)
    saved = ml.load("run.safetensors")
    params = compiled.load_state_dict(saved.params)
    optimizer.load_state_dict(saved.optimizer)
    step.state = saved.state

See docs/checkpoints.md.)");
  module.def("_load_checkpoint", load_checkpoint, py::arg("path"));
  module.def("_save_together", save_together, py::arg("step"), py::arg("path"), py::arg("params"),
             py::arg("optimizer") = py::none(), py::arg("state") = py::none(),
             py::arg("metadata") = py::none(),
             "Saves a checkpoint, of which each process of the group writes what it holds.");
  module.def(
      "_load_optimizer",
      [](TrainingStep& step, const py::dict& state) { step.load_optimizer(tensor_map_of(state)); },
      py::arg("step"), py::arg("state"),
      "Restores the state of the optimizer, of which this process keeps what it holds.");
  compiled
      .def(
          "get_parameters",
          [](const CompiledModel& m, uint64_t seed) { return dict_of(m.get_parameters(seed)); },
          py::arg("seed") = 0,
          R"(Returns new initial parameters as a dict of arrays.

The same seed gives the same numbers on every platform. A parameter that no layer or initializer
initializes is uniform in +-1/sqrt(fan_in).

Raises:
    ShapeError: If the size of a parameter is not known.

Example:
    params = compiled.get_parameters(seed=1))")
      .def(
          "randomize_params",
          [](const CompiledModel& m, uint64_t seed) { return dict_of(m.randomize_params(seed)); },
          py::arg("seed") = 0, R"(Returns parameters drawn from a standard normal distribution.

Example:
    params = compiled.randomize_params(seed=1))")
      .def_property_readonly(
          "initial_state_dict",
          [](const CompiledModel& m) { return dict_of(m.initial_state_dict()); },
          "Copy of the initial state: running statistics and random keys.")
      .def_property_readonly("frozen_keys", &CompiledModel::frozen_keys,
                             "Keys of the parameters that `compile` or the model froze: they have "
                             "no gradients, and optimizers do not change them.")
      .def_property_readonly("unread_parameter_keys", &CompiledModel::unread_parameter_keys,
                             "Keys of the parameters that no output depends on. A `TrainingStep` "
                             "does not change them.");
  compiled
      .def("gather_parameters", gather_parameters, py::arg("params"),
           R"(Returns whole parameters, of which each process holds blocks.

All processes of the group call it. Other parameters are returned as they are.

Args:
    params: dict of parameters, or of averages of them.

Raises:
    StateError: If sharded parameters are whole already.
    DistributedError: If a process has failed or is too slow.

Example:
    whole = compiled.gather_parameters(params)
    outputs = compiled.infer(whole, data)

See docs/distributed.md.)")
      .def(
          "shard_parameters",
          [](const CompiledModel& m, const py::dict& params) {
            return dict_of(m.shard_parameters(tensor_map_of(params)));
          },
          py::arg("params"),
          R"(Returns the blocks of whole parameters that this process holds, as `load_state_dict`.

Args:
    params: dict of whole parameters.

Raises:
    StateError: If the parameters do not fit the model.

Example:
    whole = compiled.gather_parameters(params)
    params = compiled.shard_parameters(whole)

See docs/distributed.md.)");
  compiled.def("load_state_dict", load_state_dict, py::arg("saved"), py::kw_only(),
               py::arg("strict") = true, py::arg("prefix") = "", py::arg("name_map") = py::none(),
               py::arg("ignore") = py::tuple(), py::arg("return_state") = false,
               py::arg("return_report") = false,
               R"(Returns parameters for this model from a dict or a file.

Arrays are renamed, fused, split and cast as needed. They share their elements with `saved` where
possible: pass a copy if training must not change it.

Args:
    saved: dict of arrays, or the path of a file that `ml.load` reads.
    strict: whether missing and unknown tensors are errors. False takes missing parameters from
        `get_parameters()` and ignores unknown tensors.
    prefix: only stored names with this prefix are read, and the prefix is removed.
    name_map: dict from patterns of parameters and states to a stored name, a list of names to
        concatenate, or a `WeightSource`. `*` matches any text, including dots; `?` one character.
    ignore: list of patterns of stored names that are not unknown.
    return_state: whether to return the state (running statistics), too. Without it, stored running
        statistics are an error.
    return_report: whether to return a `WeightReport`, too.

Returns:
    Dict of parameters; a tuple (params, state, report) with those that were requested otherwise.

Raises:
    StateError: If keys are missing or unknown, or shapes differ. The error lists all of them.
    NameError: If a pattern of `name_map` matches no parameter and no state.

Example:
    ml.save("weights.safetensors", params)
    params = compiled.load_state_dict("weights.safetensors")
    params, state = compiled.load_state_dict("weights.safetensors", return_state=True)

See docs/checkpoints.md.)");
}

}  // namespace mithril::python
