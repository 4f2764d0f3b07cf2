// Engines, which serve compiled models to many threads.
#include "mithril/engine/engine.hpp"
#include "mithril/base/file_errors.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"
#include "durations.hpp"
#include "mithril/backend/memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril::python {
namespace {

using EngineClock = std::chrono::steady_clock;

std::shared_ptr<Engine> make_engine(py::handle memory_limit, int threads, std::int64_t max_sessions,
                                    double session_age) {
  EngineOptions options{.threads = threads};
  if (!memory_limit.is_none()) {
    options.memory_limit = argument("Engine", "memory_limit", [&] {
      return read_bytes(datum_of(memory_limit), "memory_limit");
    });
  }
  options.max_sessions = static_cast<std::size_t>(std::max<std::int64_t>(max_sessions, 0));
  options.session_age = duration_of<std::chrono::milliseconds>(session_age, "session_age");
  // Evaluations that end may need the interpreter. When the program ends, they wait for the lock
  // for ever, and so would the destructor.
  return {new Engine(options), [](Engine* engine) {
            if (is_interpreter_ending()) return;
            std::optional<InterpreterUnlocked> free;
            if (PyGILState_Check()) free.emplace();  // a server may be the last owner
            delete engine;
          }};
}

TensorMap params_of_dict(py::handle params) {
  if (params.is_none()) return {};
  if (!py::isinstance<py::dict>(params)) wrong_type(params, "a dict of parameters");
  return tensor_map_of(params.cast<py::dict>());
}

// (compiled,), (compiled, params) or (compiled, params, state), or a compiled model.
ServableModel servable_of(const py::object& made) {
  if (py::isinstance<CompiledModel>(made)) return {made.cast<const CompiledModel&>()};
  constexpr const char* expected = "a compiled model, or a tuple (compiled, params, state)";
  if (!py::isinstance<py::tuple>(made)) wrong_type(made, expected);
  const auto parts = made.cast<py::tuple>();
  if (parts.empty() || parts.size() > 3 || !py::isinstance<CompiledModel>(parts[0]))
    wrong_type(made, expected);
  ServableModel model{parts[0].cast<const CompiledModel&>()};
  if (parts.size() > 1) model.params = params_of_dict(parts[1]);
  if (parts.size() > 2) model.state = state_of(parts[2]);
  return model;
}

bool is_package(const py::object& object) {
  return py::isinstance(object, py::module_::import("mithril.packages.package").attr("Package"));
}

// The parameters stay in the mapped files until the engine binds them.
ServableModel servable_of_package(const py::object& package) {
  return servable_of(package.attr("_servable")());
}

void register_in_engine(Engine& engine, const std::string& name, const py::object& model,
                        py::handle params, py::handle state, std::int64_t max_batch_size,
                        double max_delay, std::int64_t max_queue, py::handle mask,
                        const py::dict& padding, double max_padding, py::handle outputs) {
  ServingOptions options{
      .max_batch_size = max_batch_size,
      .max_delay = duration_of<std::chrono::microseconds>(max_delay, "max_delay"),
      .max_queue = static_cast<std::size_t>(std::max<std::int64_t>(max_queue, 0))};
  options.max_padding = max_padding;
  options.outputs = outputs_of(outputs).outputs;
  if (!mask.is_none()) options.mask = text_of(mask, "the name of an input, or None");
  for (const auto& [key, value] : padding) {
    options.padding.emplace_back(text_of(key, "the name of an input"),
                                 tensor_of(py::reinterpret_borrow<py::object>(value)).item());
  }
  if (py::isinstance<CompiledModel>(model)) {
    ServableModel given{model.cast<const CompiledModel&>(), params_of_dict(params),
                        state_of(state)};
    const InterpreterUnlocked free;
    engine.register_model(name, std::move(given), std::move(options));
    return;
  }
  const bool of_package = is_package(model);
  if (!of_package && !PyCallable_Check(model.ptr())) {
    wrong_type(model,
               "a compiled model, a package, or a function that returns one of them with its "
               "parameters");
  }
  if (!params.is_none() || !state.is_none()) {
    wrong_type(params.is_none() ? state : params,
               "None: parameters and state come with a package or from the function");
  }
  const py::object make = of_package ? py::cpp_function([model] { return model; }) : model;
  auto load = [function = shared_function(py::reinterpret_borrow<py::function>(make))] {
    const InterpreterLocked lock;
    try {
      const py::object made = (*function)();
      return is_package(made) ? servable_of_package(made) : servable_of(made);
    } catch (py::error_already_set& raised) {
      rethrow_error_of_python(raised);  // a server has no Python to handle it
    }
  };
  const InterpreterUnlocked free;
  engine.register_model(name, std::move(load), std::move(options));
}

InferOptions infer_options_of(py::handle timeout, py::handle session) {
  InferOptions options;
  if (!timeout.is_none()) {
    const auto seconds = argument("infer", "timeout", [&] {
      if (!PyNumber_Check(timeout.ptr())) wrong_type(timeout, "a number of seconds, or None");
      return py::float_(py::reinterpret_borrow<py::object>(timeout)).cast<double>();
    });
    options.deadline = EngineClock::now() + duration_of<EngineClock::duration>(seconds, "timeout");
  }
  if (!session.is_none()) options.session = text_of(session, "the id of a session, or None");
  return options;
}

void write_trace(const std::string& path, const StepTrace& trace) {
  const std::string why = write_file(path, trace.chrome_json());
  if (!why.empty()) cannot_write(path, why);
}

py::dict infer_in_engine(Engine& engine, const std::string& name, const py::dict& inputs,
                         py::handle timeout, py::handle session, py::handle trace) {
  InferOptions options = infer_options_of(timeout, session);
  const TensorMap request = tensor_map_of(inputs);
  StepTrace traced;
  std::string trace_path;
  if (!trace.is_none()) {
    trace_path = argument("infer", "trace", [&] { return path_of(trace); });
    options.trace = &traced;
  }
  const TensorMap outputs = call_unlocked([&] {
    TensorMap answer = engine.infer(name, request, options);
    if (options.trace) write_trace(trace_path, traced);
    return answer;
  });
  return dict_of(outputs);
}

PendingAnswer infer_later(Engine& engine, const std::string& name, const py::dict& inputs,
                          py::handle timeout, py::handle session) {
  const InferOptions options = infer_options_of(timeout, session);
  const TensorMap request = tensor_map_of(inputs);
  return call_unlocked([&] { return engine.infer_async(name, request, options); });
}

py::object error_object(const std::exception_ptr& error) {
  try {
    // The translators of this module make the Python exception.
    py::cpp_function([&] { std::rethrow_exception(error); })();
  } catch (py::error_already_set& raised) {
    return py::reinterpret_borrow<py::object>(raised.value());
  }
  return py::none();
}

py::list infer_all(Engine& engine, const std::string& name, const py::list& requests,
                   py::handle timeout, bool return_errors) {
  const InferOptions options = infer_options_of(timeout, py::none());
  std::vector<TensorMap> given;
  for (const py::handle request : requests) {
    if (!py::isinstance<py::dict>(request)) wrong_type(request, "a dict of inputs");
    given.push_back(tensor_map_of(request.cast<py::dict>()));
  }
  const std::vector<InferResult> results = [&] {
    const InterpreterUnlocked free;
    return engine.infer_batch(name, given, options);
  }();
  py::list answers;
  for (const InferResult& result : results) {
    if (result.error && !return_errors) std::rethrow_exception(result.error);
    answers.append(result.error ? error_object(result.error) : py::object(dict_of(result.outputs)));
  }
  return answers;
}

void shut_down_engine(Engine& engine, py::handle timeout) {
  const InferOptions options = infer_options_of(timeout, py::none());
  const InterpreterUnlocked free;
  engine.shut_down(options.deadline);
}

constexpr const char* register_model_doc = R"(Serves a model under a name, in inference mode.

An older model of this name is replaced. Requests that it has accepted finish on it.

Args:
    name: name of the model in requests.
    model: a compiled model, a package, or a function without arguments that returns one of them or
        a tuple (compiled, params, state). The engine calls the function now and after an eviction.
    params: dict of parameters, which are copied. None for a bound model, a package or a function.
    state: dict of the state, such as running statistics.
    max_batch_size: maximum number of rows of one evaluation. 1 does not batch requests.
    max_delay: seconds that the first request of a batch waits for others while a thread is free.
    max_queue: maximum number of waiting requests.
    mask: input that is 0 at padding. With it requests of different lengths share a batch.
    padding: dict of the padding values of other inputs. The default is 0.
    max_padding: maximum fraction of padding in a batch.
    outputs: list of outputs to answer with. None uses all but losses and metrics.

Raises:
    ValueError: If the model cannot be batched or padded, or an option is out of range.
    OutOfMemoryError: If the model does not fit into the memory limit.

Example:
    engine.register_model("digits", compiled, params, max_batch_size=8))";

void bind_register_model(py::class_<Engine, std::shared_ptr<Engine>>& engine, const char* name,
                         const char* doc) {
  const ServingOptions by_default;
  engine.def(name, register_in_engine, py::arg("name"), py::arg("model"),
             py::arg("params") = py::none(), py::kw_only(), py::arg("state") = py::none(),
             py::arg("max_batch_size") = by_default.max_batch_size, py::arg("max_delay") = 0.0,
             py::arg("max_queue") = by_default.max_queue, py::arg("mask") = py::none(),
             py::arg("padding") = py::dict(), py::arg("max_padding") = by_default.max_padding,
             py::arg("outputs") = py::none(), doc);
}

}  // namespace

void bind_engine(py::module_& module) {
  bind_pending_answer(module);
  const auto text = [](const Engine& engine) {
    std::vector<std::string> names;
    for (const std::string& name : call_unlocked([&] { return engine.list_models(); }))
      names.push_back(in_quotes(name));
    return "Engine(models=[" + join(names, ", ") + "])";
  };
  py::class_<Engine, std::shared_ptr<Engine>> engine(module, "Engine",
                                                     R"(Serves compiled models to many threads.

Requests of a model with `max_batch_size` above 1 share evaluations. Other requests run in the
calling thread.

Args:
    memory_limit: limit of all models and sessions, in bytes or as text such as "2GB". The engine
        evicts the least recently used models that a function can load again. None is no limit.
    threads: maximum number of evaluations at a time. 0 uses one for each processor.
    max_sessions: maximum number of sessions at a time.
    session_age: seconds since its last request after which a session is closed.

Example:
    engine = ml.Engine()
    engine.register_model("digits", compiled, params)
    outputs = engine.infer("digits", {"x": data["x"]})

See docs/serving.md.)");
  bind_register_model(engine, "register_model", register_model_doc);
  bind_register_model(engine, "register", "The old name of `register_model`, until 0.2.");
  bind_served_models(engine);
  engine
      .def(py::init(&make_engine), py::arg("memory_limit") = py::none(), py::kw_only(),
           py::arg("threads") = 0, py::arg("max_sessions") = 1024, py::arg("session_age") = 600.0)
      .def("infer", infer_in_engine, py::arg("name"), py::arg("inputs"), py::kw_only(),
           py::arg("timeout") = py::none(), py::arg("session") = py::none(),
           py::arg("trace") = py::none(),
           R"(Evaluates a model and returns its outputs.

Args:
    name: name of the model.
    inputs: dict of arrays.
    timeout: seconds after which an unanswered request fails. None waits without a limit.
    session: id of a session, whose state the request continues.
    trace: path of a Chrome trace of the evaluation. A traced request is not batched.

Returns:
    Dict of the outputs.

Raises:
    NameError: If there is no model or session of this name.
    InputError: If the inputs do not fit the model.
    BackendError: If the queue is full, the timeout has passed, or the engine was shut down.

Example:
    outputs = engine.infer("digits", {"x": data["x"]}, timeout=1.0))")
      .def("infer_async", infer_later, py::arg("name"), py::arg("inputs"), py::kw_only(),
           py::arg("timeout") = py::none(), py::arg("session") = py::none(),
           R"(Sends a request as `infer` does, and returns a `PendingAnswer` at once.

Example:
    answer = engine.infer_async("digits", {"x": data["x"]})
    outputs = answer.result())")
      .def("infer_batch", infer_all, py::arg("name"), py::arg("requests"), py::kw_only(),
           py::arg("timeout") = py::none(), py::arg("return_errors") = false,
           R"(Evaluates several requests. A failed request does not affect the others.

Args:
    name: name of the model.
    requests: list of dicts of arrays by key, with the shapes of the model.
    timeout: seconds after which unanswered requests fail. None waits without a limit.
    return_errors: whether the list contains the errors of failed requests. False raises the first
        error when all requests are done.

Returns:
    List of dicts of outputs, in the order of the requests.

Raises:
    NameError: If there is no model of this name.

Example:
    one, two = engine.infer_batch("digits", [{"x": data["x"][:1]}, {"x": data["x"][1:2]}]))")
      .def("unload", &Engine::unload, py::arg("name"), py::call_guard<InterpreterUnlocked>(),
           R"(Removes a model. Running evaluations finish; waiting requests fail.

Raises:
    NameError: If there is no model of this name.

Example:
    engine.unload("digits"))")
      .def("count_refused", &Engine::count_refused, py::arg("name"),
           py::call_guard<InterpreterUnlocked>(),
           R"(Counts a request that failed before it reached the engine, for servers of your own.

Raises:
    NameError: If there is no model of this name.

Example:
    engine.count_refused("digits"))")
      .def("open_session", &Engine::open_session, py::arg("name"), py::arg("id") = "",
           py::call_guard<InterpreterUnlocked>(),
           R"(Opens a session, which keeps the state of a model between requests. Returns its id.

Raises:
    NameError: If there is no model of this name.
    StateError: If the model has no state.

Example:
    session = engine.open_session("sums")
    outputs = engine.infer("sums", {"x": data["x"]}, session=session))")
      .def("close_session", &Engine::close_session, py::arg("name"), py::arg("id"),
           py::call_guard<InterpreterUnlocked>(), R"(Closes a session.

Raises:
    NameError: If there is no model or session of this name.

Example:
    session = engine.open_session("sums")
    engine.close_session("sums", session))")
      .def("shut_down", shut_down_engine, py::arg("timeout") = py::none(),
           R"(Refuses further requests, and answers the accepted ones within `timeout` seconds.

Example:
    engine.shut_down(timeout=1.0))")
      .def("__repr__", text);
}

}  // namespace mithril::python
