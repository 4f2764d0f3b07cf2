#include "mithril/cli/onnx_runtime.hpp"

#include <fmt/format.h>

#include <chrono>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/process.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/temporary_files.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/write_npy.hpp"

namespace mithril::cli {
namespace {

// Reads request.json, and writes the outputs and answer.json.
constexpr const char* script = R"(
import json, os, sys, time

folder = sys.argv[1]
with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
    request = json.load(file)


def answer(**fields):
    with open(os.path.join(folder, "answer.json"), "w", encoding="utf-8") as file:
        json.dump(fields, file)
    sys.exit(0)


try:
    import numpy as np
    import onnxruntime
except ModuleNotFoundError as error:
    answer(missing=error.name)

NAMES = {"float": "float32", "double": "float64"}
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
options.intra_op_num_threads = request["threads"]
if request["exact_products"]:
    options.add_session_config_entry("session.x64quantprecision", "1")
try:
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(
        request["model"], options, providers=["CPUExecutionProvider"]
    )
    load = time.perf_counter() - begin
    inputs = {}
    for node in session.get_inputs():
        if node.name in request["inputs"]:
            array = np.load(os.path.join(folder, request["inputs"][node.name]))
            dtype = node.type[len("tensor(") : -1]
            inputs[node.name] = array.astype(NAMES.get(dtype, dtype))
    names = [node.name for node in session.get_outputs()]
    begin = time.perf_counter()
    results = session.run(names, inputs)
    first = time.perf_counter() - begin
    times = []
    start = time.perf_counter()
    while len(times) < (request["runs"] or 10000):
        if not request["runs"] and time.perf_counter() - start >= request["seconds"]:
            break
        begin = time.perf_counter()
        session.run(names, inputs)
        times.append(time.perf_counter() - begin)
except Exception as error:  # its classes share no other base
    answer(refused=str(error))
outputs = {}
for number, (name, value) in enumerate(zip(names, results)):
    outputs[name] = f"output{number}.npy"
    np.save(os.path.join(folder, outputs[name]), value)
median = sorted(times)[len(times) // 2] if times else 0
answer(
    version=onnxruntime.__version__,
    outputs=outputs,
    load=load,
    first=first,
    median=median,
    runs=len(times),
)
)";

constexpr std::chrono::hours longest_run{1};

// Null if the object lacks it.
const Json* field(const Json& object, std::string_view name) {
  for (const auto& [key, value] : *object.as<Json::Object>()) {
    if (key == name) return &value;
  }
  return nullptr;
}

// `asked_file`: that of the call, which is `path` or was written as it.
OnnxRuntimeAnswer run_file(const std::string& asked_file, const std::string& path,
                           const TensorMap& given, const OnnxRuntimeOptions& how) {
  const std::string advice =
      "pip install onnxruntime numpy, or name another Python in MITHRIL_PYTHON";
  const std::string python = python_path();
  if (python.empty()) throw MissingError{"ONNX Runtime runs in Python, and none was found", advice};
  const TemporaryFolder folder("mithril-onnxruntime-");
  check_made(folder);
  Json::Object inputs;
  write_temporary(folder, "", [&] {
    for (const auto& [key, tensor] : given) {
      const std::string name = fmt::format("input{}.npy", inputs.size());
      save_npy(folder.path(name), tensor);
      inputs.emplace_back(key, name);
    }
  });
  const Json asked = Json::Object{{"model", path},
                                  {"inputs", std::move(inputs)},
                                  {"exact_products", how.exact_products},
                                  {"threads", std::int64_t{how.threads}},
                                  {"runs", std::int64_t{how.runs}},
                                  {"seconds", how.seconds}};
  const std::string to = folder.path("request.json"), log = folder.path("log");
  write_temporary(folder, "", to, to_text(asked));
  run_process({python, "-c", script, folder.path()},
              {.log = log, .temporary_folder = folder.path(), .limit = longest_run});
  const std::string text = text_if_any(folder.path("answer.json"));
  if (text.empty()) {
    throw MissingError{
        fmt::format("{} did not run ONNX Runtime: {}", python, printable(text_if_any(log))),
        advice};
  }
  const Json answer = guarded_parse(text);
  if (const Json* missing = field(answer, "missing"))
    throw MissingError{fmt::format("{} has no module {}", python, *missing->as<std::string>()),
                       advice};
  if (const Json* refused = field(answer, "refused")) {
    raise({.kind = ErrorKind::value,
           .code = "E1323",
           .path = asked_file,
           .message = "ONNX Runtime does not run the file",
           .facts = {{"reason", printable(*refused->as<std::string>())}}});
  }
  const auto milliseconds = [&](const char* name) {
    const Json& value = *field(answer, name);
    const auto* seconds = value.as<double>();
    return seconds ? *seconds * 1e3 : 0.0;
  };
  OnnxRuntimeAnswer found{.version = *field(answer, "version")->as<std::string>(),
                          .outputs = {},
                          .load_ms = milliseconds("load"),
                          .first_ms = milliseconds("first"),
                          .median_ms = milliseconds("median"),
                          .runs = *field(answer, "runs")->as<std::int64_t>()};
  for (const auto& [name, path] : *field(answer, "outputs")->as<Json::Object>())
    found.outputs[name] = load_npy(folder.path(*path.as<std::string>()));
  return found;
}

}  // namespace

TensorMap named_as_in_file(const ModelFile& file, const TensorMap& tensors) {
  TensorMap found;
  for (const auto& [key, tensor] : tensors) {
    const auto other = file.renamed.find(key);
    found[other == file.renamed.end() ? key : other->second] = tensor;
  }
  return found;
}

OnnxRuntimeAnswer run_onnx_runtime(const ModelFile& file, const Arguments& arguments,
                                   const CompiledModel& compiled, const OnnxWriteOptions& options,
                                   const TensorMap& data, const OnnxRuntimeOptions& how) {
  const std::string& asked_file = arguments.value("FILE");
  if (file.kind == FileKind::onnx) {
    TensorMap given = named_as_in_file(file, data);
    given.merge(constants_of(arguments));
    return run_file(asked_file, asked_file, given, how);
  }
  const TemporaryFolder folder("mithril-to-onnx-");
  check_made(folder);
  const std::string path = folder.path("model.onnx");
  write_temporary(folder, "", [&] { write_onnx(compiled, path, options); });
  return run_file(asked_file, path, data, how);
}

}  // namespace mithril::cli
