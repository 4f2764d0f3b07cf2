// `mithril verify`: compares backends on a model, value by value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/cli/onnx_runtime.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/comparison/compare.hpp"
#include "mithril/comparison/reduced_test.hpp"
#include "mithril/comparison/value_mismatch.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/onnx/export/write_onnx.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril::cli {
namespace {

struct NamedBackend {
  std::string name;        // "reference"
  std::string expression;  // in Python: "ml.CpuBackend(reference=True)"
  std::shared_ptr<Backend> backend;
};

std::vector<std::string> backend_names(const Arguments& arguments) {
  std::vector<std::string> names = arguments.values("--backends");
  if (names.empty()) names = {"reference", "cpu"};
  if (names.size() < 2)
    throw UsageError{fmt::format("--backends is '{}'", names.front()),
                     "name at least two: --backends reference cpu"};
  for (const std::string& name : names) {
    if (const auto times = std::count(names.begin(), names.end(), name); times > 1)
      throw UsageError{fmt::format("--backends names {} {} times", name, times)};
  }
  return names;
}

bool contains_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The backends among these that run in this process.
std::vector<NamedBackend> native_backends(const std::vector<std::string>& names,
                                          const Arguments& arguments) {
  const std::string dtype = arguments.value("--dtype");
  std::vector<NamedBackend> backends;
  for (const std::string& name : names) {
    const bool reference = name == "reference";
    if (!reference && name != "cpu") continue;
    std::vector<std::string> options;
    if (dtype != "float32") options.push_back("ml." + dtype);
    if (reference) options.emplace_back("reference=True");
    backends.push_back({name, "ml.CpuBackend(" + join(options, ", ") + ")",
                        cpu({.dtype = parse_dtype(dtype), .reference = reference})});
  }
  return backends;
}

// What the backends get.
struct Inputs {
  TensorMap params, data;
  State state;
};

Inputs inputs_of_file(const ModelFile& file, const CompiledModel& compiled,
                      const Arguments& arguments) {
  const std::uint64_t seed = seed_of(arguments);
  Inputs inputs;
  inputs.state = state_of(file, compiled);
  if (arguments.has("--data")) {
    const std::string& path = arguments.value("--data");
    inputs.data = read_tensors(kind_of_file(path), path);
  }
  const TensorMap params =
      file.params ? needed_parameters(file, compiled) : parameters_of(file, compiled, arguments);
  // A package may have weights that training would not change.
  const std::vector<std::string> data_keys = compiled.data_keys();
  for (const auto& [key, tensor] : params) {
    const bool is_fixed = std::find(data_keys.begin(), data_keys.end(), key) != data_keys.end();
    (is_fixed ? inputs.data : inputs.params)[key] = tensor;
  }
  if (!arguments.has("--data"))
    inputs.data = training_inputs_of(compiled, std::move(inputs.data), seed);
  return inputs;
}

constexpr const char* runtime_name = "onnxruntime";

// Writes the smallest model that fails, its inputs and a test; returns their paths.
std::vector<std::string> write_reduced(const std::string& folder, const BackendDifference& found,
                                       const std::vector<NamedBackend>& backends,
                                       const std::string& tolerance) {
  const ReducedFailure& failure = *found.reduced;
  if (const std::string why = make_folder(folder); !why.empty()) cannot_write(folder, why);
  std::vector<std::string> paths, expressions;
  for (const char* name : {"model.json", "data.safetensors", "test_reduced.py"})
    paths.push_back(folder + "/" + name);
  for (const NamedBackend& backend : backends) expressions.push_back(backend.expression);
  const auto write = [](const std::string& path, const std::string& text) {
    if (const std::string why = write_file(path, text); !why.empty()) cannot_write(path, why);
  };
  write(paths[0], to_json(failure.model) + "\n");
  save_safetensors(paths[1], failure.data);
  write(paths[2], text_of(ReducedTest{.backend = found.backend,
                                      .reference = backends.front().name,
                                      .path = found.path,
                                      .op = found.op,
                                      .nodes = failure.nodes,
                                      .backends = join(expressions, ", "),
                                      .tolerance = tolerance}));
  return paths;
}

BackendComparison compare_native(const ModelFile& file, const std::vector<NamedBackend>& named,
                                 const Arguments& arguments) {
  const CompiledModel compiled =
      compile_file(file, arguments, named.front().backend, arguments.has("--inference"));
  const Inputs inputs = inputs_of_file(file, compiled, arguments);
  std::vector<std::shared_ptr<Backend>> others;
  for (std::size_t i = 1; i < named.size(); ++i) others.push_back(named[i].backend);
  std::vector<std::string> names;
  for (const NamedBackend& each : named) names.push_back(each.name);
  return compare(compiled, others, inputs.params, inputs.data,
                 {.tolerance = arguments.real("--tolerance", 0),
                  .gradients = !arguments.has("--no-gradients"),
                  .seed = seed_of(arguments),
                  .reduce = arguments.has("--reduce"),
                  .state = inputs.state,
                  .names = std::move(names)});
}

// What Mithril (`expected`) and ONNX Runtime (`got`) compute from the same inputs. The keys are the
// names in the file.
struct RuntimeValues {
  TensorMap expected, got;
};

// For an ONNX file the outputs; for another model every value of its graph.
RuntimeValues runtime_values(const ModelFile& file, const NamedBackend& reference,
                             const Arguments& arguments) {
  const CompiledModel compiled = compile_file(file, arguments, reference.backend, true);
  const Inputs inputs = inputs_of_file(file, compiled, arguments);
  const OnnxWriteOptions options{
      .params = inputs.params.share(), .state = inputs.state, .all_values = true};
  TensorMap got = run_onnx_runtime(file, arguments, compiled, options, inputs.data).outputs;
  if (file.kind != FileKind::onnx)
    return {.expected = onnx_reference(compiled, inputs.data, options), .got = std::move(got)};
  const TensorMap outputs = compiled.infer(inputs.params, inputs.data, inputs.state);
  return {.expected = named_as_in_file(file, outputs), .got = std::move(got)};
}

// Adds the first value that ONNX Runtime computes differently.
void add_onnx_runtime(BackendComparison& found, const ModelFile& file,
                      const NamedBackend& reference, const Arguments& arguments) {
  const RuntimeValues values = runtime_values(file, reference, arguments);
  const std::optional<double> tolerance = arguments.real("--tolerance", 0);
  found.backends.emplace_back(runtime_name);
  std::size_t compared = 0;
  for (const auto& [name, value] : values.expected) {
    const Tensor* got = values.got.find(name);
    if (!got) continue;
    ++compared;
    const Tensor expected = value.host();
    const double largest = largest_element(expected);
    const double allowed =
        is_floating(expected.dtype())
            ? tolerance.value_or(default_tolerance(expected.dtype())) * std::max(largest, 1.0)
            : 0;
    const auto mismatch = value_mismatch(*got, expected, allowed);
    if (!mismatch) continue;
    found.differences.push_back({.path = name,
                                 .op = "the ONNX file",
                                 .backend = runtime_name,
                                 .expected = expected,
                                 .got = *got,
                                 .worst = mismatch->worst,
                                 .expected_element = mismatch->expected,
                                 .got_element = mismatch->got,
                                 .difference = mismatch->difference,
                                 .allowed = allowed});
    break;
  }
  found.nodes = std::max(found.nodes, compared);
}

// JSON has no infinity and no NaN: these are null.
Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json json_of(const BackendDifference& found) {
  return Json::Object{{"path", found.path},
                      {"op", found.op},
                      {"backend", found.backend},
                      {"element", Json::Array(found.worst.begin(), found.worst.end())},
                      {"expected", number_or_null(found.expected_element)},
                      {"got", number_or_null(found.got_element)},
                      {"difference", number_or_null(found.difference)},
                      {"allowed", number_or_null(found.allowed)},
                      {"in_whole_graph", found.in_whole_graph}};
}

void print(const BackendComparison& found, const std::vector<std::string>& written,
           const Arguments& arguments, Output& output) {
  if (output.is_json()) {
    Json::Array differences;
    for (const BackendDifference& difference : found.differences)
      differences.push_back(json_of(difference));
    output.object("verify",
                  {{"file", arguments.value("FILE")},
                   {"backends", Json::Array(found.backends.begin(), found.backends.end())},
                   {"agree", found.agrees()},
                   {"nodes", static_cast<std::int64_t>(found.nodes)},
                   {"differences", std::move(differences)},
                   {"written", Json::Array(written.begin(), written.end())}});
    return;
  }
  output.text(found.text());
  for (const std::string& path : written) output.text("wrote " + path + "\n");
}

}  // namespace

int verify(const Arguments& arguments, Output& output) {
  const std::vector<std::string> names = backend_names(arguments);
  const bool has_runtime = contains_name(names, runtime_name);
  if (contains_name(names, "torch") || contains_name(names, "jax")) {
    if (has_runtime) {
      throw UsageError{"onnxruntime is compared with reference and cpu",
                       "compare torch and jax by another call"};
    }
    return run_python("verify", arguments.values("arguments"));
  }
  if (names.front() == runtime_name)
    throw UsageError{"the first of --backends is the reference, and onnxruntime cannot be it",
                     "begin with reference or cpu"};
  const std::vector<NamedBackend> named = native_backends(names, arguments);
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  BackendComparison found{.backends = {named.front().name}, .nodes = 0, .differences = {}};
  if (named.size() > 1) found = compare_native(file, named, arguments);
  std::vector<std::string> written;
  if (!found.agrees() && found.differences.front().reduced) {
    written = write_reduced(arguments.value("--reduce"), found.differences.front(), named,
                            arguments.value_or("--tolerance", "None"));
  }
  if (has_runtime) add_onnx_runtime(found, file, named.front(), arguments);
  print(found, written, arguments, output);
  return found.agrees() ? done : check_failed;
}

}  // namespace mithril::cli
