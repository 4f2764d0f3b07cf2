#include "codegen/jax/write_jax.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "codegen/common/generated_file.hpp"
#include "codegen/jax/function.hpp"
#include "codegen/jax/python_text.hpp"
#include "codegen/jax/snippets.hpp"
#include "codegen/jax/spelling.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"

namespace mithril {
namespace {

using codegen::JaxFunction;
using codegen::python_string;
using Role = ExportedInput::Role;

constexpr const char* role_names[] = {"data", "params", "state"};

bool has_state(const ExportedModel& model) {
  return std::any_of(model.inputs.begin(), model.inputs.end(),
                     [](const ExportedInput& input) { return input.role == Role::state; });
}

// JAX has float64, and ints with more than 32 bits such as the keys of random numbers, only if
// jax_enable_x64 is set.
std::string check_of_width(const Graph& graph, bool has_keys) {
  const bool wide =
      has_keys || std::any_of(graph.values().begin(), graph.values().end(),
                              [](const Value& value) { return value.dtype == DType::float64; });
  if (!wide) return "";
  return "    if not jax.config.jax_enable_x64:\n"
         "        raise RuntimeError(\"it needs 64 bits: set jax_enable_x64\")\n";
}

bool has_keys(const ExportedModel& model) {
  return std::any_of(model.inputs.begin(), model.inputs.end(), [](const ExportedInput& input) {
    return input.initial && input.initial->dtype() == DType::int64;
  });
}

std::string module_head(const ExportedModel& model, const std::string& name) {
  return "# The model '" + codegen::comment(name) + "', written by Mithril " +
         std::string(version()) + ". It needs JAX alone.\n#\n" +
         (has_state(model)
              ? "#     outputs, state = model(params, data, state)  # begin with initial_state()\n"
              : "#     outputs = model(params, data)\n") +
         "#\n# All are dicts of arrays. The functions are pure: jax.jit, jax.grad and jax.vmap "
         "apply.\n";
}

std::string dict_text(const std::vector<std::pair<std::string, std::string>>& items) {
  constexpr size_t width = 96;
  std::string line, lines;
  for (const auto& [key, value] : items) {
    const std::string item = python_string(key) + ": " + value;
    line += (line.empty() ? "" : ", ") + item;
    lines += "        " + item + ",\n";
  }
  return line.size() < width - 10 ? "{" + line + "}" : "{\n" + lines + "    }";
}

std::string initial_state(const ExportedModel& model, const std::string& check) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const ExportedInput& input : model.inputs) {
    if (input.role == Role::state)
      items.emplace_back(input.key, codegen::jax_constant(input.initial->host(), 12));
  }
  return "\n\ndef initial_state():\n" + check + "    return " + dict_text(items) + "\n";
}

std::string module_text(const std::string& head, const JaxFunction& function,
                        const std::string& definition, const std::string& result) {
  return head + (head.empty() ? "" : "\n") + codegen::jax_snippets_text(function.snippets) +
         "\n\n" + definition + function.body + "    return " + result + "\n";
}

}  // namespace

std::string jax_source(const ExportedModel& model, const std::string& name) {
  codegen::JaxFunctionOptions options;
  for (const ExportedInput& input : model.inputs) {
    const std::string from = std::string(role_names[static_cast<size_t>(input.role)]) + "[" +
                             python_string(input.key) + "]";
    options.inputs.push_back(input.frozen ? "jax.lax.stop_gradient(" + from + ")" : from);
  }
  const JaxFunction function = codegen::jax_function(model.graph, options);
  std::vector<std::pair<std::string, std::string>> outputs, states;
  for (const ExportedOutput& output : model.outputs)
    (output.next_state ? states : outputs).emplace_back(output.key, function.outputs[output.index]);
  const bool state = has_state(model);
  const std::string result =
      state ? dict_text(outputs) + ", " + dict_text(states) : dict_text(outputs);
  const std::string check = check_of_width(model.graph, has_keys(model));
  const std::string definition =
      state ? "def model(params, data, state):\n" : "def model(params, data):\n";
  return module_text(module_head(model, name), function, definition + check, result) +
         (state ? initial_state(model, check) : "");
}

void write_jax(const ExportedModel& model, const std::string& path) {
  const std::string source = jax_source(model, std::filesystem::path(path).stem().string());
  codegen::write_generated(path, source);
}

JaxProgram jax_program(const Graph& graph) {
  codegen::JaxFunctionOptions options{.convert_inputs = false};
  JaxProgram program;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    options.inputs.push_back("inputs[" + std::to_string(i) + "]");
  for (const Constant& constant : graph.constants()) {
    options.constants.push_back("constants[" + std::to_string(program.constants.size()) + "]");
    program.constants.push_back(constant.tensor);
  }
  const JaxFunction function = codegen::jax_function(graph, options);
  program.source = module_text("", function, "def run(inputs, constants):\n",
                               "[" + join(function.outputs, ", ") + "]");
  return program;
}

std::vector<std::string> ops_without_jax(const Graph& graph) {
  std::set<std::string> ops;
  for (const auto& [path, op] : codegen::nodes_without_jax(graph)) ops.insert(op);
  return {ops.begin(), ops.end()};
}

}  // namespace mithril
