#include "codegen/web/web_interface.hpp"
#include "codegen/common/generated_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "codegen/common/make_program.hpp"
#include "codegen/common/names.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/wide_ints.hpp"
#include "codegen/web/web_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"

namespace mithril::codegen {
namespace {

using Role = ExportedInput::Role;

constexpr int64_t web_alignment = 64;

std::vector<Dims> dims_of_ports(const ExportedModel& model) {
  std::vector<Dims> dims;
  for (const ExportedInput& input : model.inputs) dims.push_back(input.dims);
  return dims;
}

ValueId value_of(const WebModel& web, const ExportedOutput& output) {
  return web.forward.graph.outputs()[output.index].value;
}

// Gives each tensor its place behind the last one.
class MemoryLayout {
 public:
  int64_t add(const Dims& dims, DType dtype) {
    const int64_t at = bytes_;
    const int64_t size = element_count(dims) * static_cast<int64_t>(size_of(dtype));
    bytes_ += (size + web_alignment - 1) / web_alignment * web_alignment;
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

void place_ports(WebModel& web) {
  MemoryLayout layout;
  const auto place = [&](ValueId id) {
    return layout.add(web.forward.dims_of(id), web.forward.graph.value(id).dtype);
  };
  ProgramMemory& forward = web.forward_memory;
  for (const ValueId id : web.forward.graph.inputs()) forward.inputs.push_back(place(id));
  for (const Output& output : web.forward.graph.outputs())
    forward.outputs.push_back(place(output.value));
  ProgramMemory& gradients = web.gradients_memory = forward;
  if (web.gradients) {
    for (const size_t i : web.model.gradient_of)
      gradients.inputs.push_back(place(value_of(web, web.model.outputs[i])));
    for (size_t i = 0; i < web.model.inputs.size(); ++i) {
      if (web.model.inputs[i].is_trained())
        gradients.outputs.push_back(place(web.forward.graph.inputs()[i]));
    }
  }
  forward.workspace = gradients.workspace = layout.bytes();
  const int64_t work =
      std::max(web.forward.workspace_bytes, web.gradients ? web.gradients->workspace_bytes : 0);
  web.bytes = layout.bytes() + (work + web_alignment - 1) / web_alignment * web_alignment;
}

// Both programs store the ports as the description says.
void check_wide(const WebModel& web, const std::vector<bool>& in_gradients) {
  const auto check = [&](ValueId id, ValueId other) {
    MITHRIL_CHECK(web.is_wide[index(id)] == in_gradients[index(other)],
                  "a port has two kinds of ints: " + web.forward.graph.value(id).name);
  };
  const Graph &graph = web.forward.graph, &gradients = web.gradients->graph;
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    check(graph.inputs()[i], gradients.inputs()[i]);
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    check(graph.outputs()[i].value, gradients.outputs()[i].value);
}

std::string web_dtype(DType dtype) {
  return std::string(dtype == DType::boolean ? "bool" : mithril::name(dtype));
}

// "float32[2, 4]".
std::string type_and_shape(const WebModel& web, ValueId id) {
  return web_dtype(web.forward.graph.value(id).dtype) + "[" + join(web.forward.dims_of(id), ", ") +
         "]";
}

// The data inputs and the outputs, as comments at the head of a module.
std::string ports_comment(const WebModel& web) {
  std::string text = "//\n// Inputs:\n", outputs = "// Outputs:\n";
  const auto line = [&](const std::string& key, ValueId id) {
    return "//   " + comment(key) + ": " + type_and_shape(web, id) + "\n";
  };
  for (size_t i = 0; i < web.model.inputs.size(); ++i) {
    const ExportedInput& input = web.model.inputs[i];
    if (input.role == Role::data) text += line(input.key, web.forward.graph.inputs()[i]);
  }
  for (const ExportedOutput& output : web.model.outputs) {
    if (!output.next_state) outputs += line(output.key, value_of(web, output));
  }
  return text + outputs;
}

std::string port_text(const WebModel& web, const std::string& name, ValueId id, int64_t offset,
                      const std::string& rest) {
  return fmt::format("    {{ name: {}, dtype: \"{}\", shape: [{}], offset: {}{}{} }},\n",
                     javascript_string(name), web_dtype(web.forward.graph.value(id).dtype),
                     join(web.forward.dims_of(id), ", "), offset, rest,
                     web.is_wide[index(id)] ? ", wide: true" : "");
}

std::string initial_text(const Tensor& tensor) {
  std::string text;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) text += ", ";
    text += tensor.dtype() == DType::int64
                ? std::to_string(tensor.data<int64_t>()[i]) + "n"
                : javascript_number(tensor.at_as_double(i), tensor.dtype());
  }
  return "[" + text + "]";
}

std::string input_text(const WebModel& web, size_t i) {
  constexpr const char* roles[] = {"data", "parameter", "state"};
  const ExportedInput& input = web.model.inputs[i];
  std::string rest = fmt::format(", role: \"{}\"", roles[static_cast<size_t>(input.role)]);
  if (input.role == Role::state) rest += ", initial: " + initial_text(input.initial->host());
  return port_text(web, input.key, web.forward.graph.inputs()[i], web.forward_memory.inputs[i],
                   rest);
}

std::string list_text(const std::string& name, const std::string& items) {
  return "  " + name + ": [" + (items.empty() ? "" : "\n" + items + "  ") + "],\n";
}

std::string array_type(DType dtype) {
  return dtype == DType::int64 ? "Float64Array" : javascript_array(dtype);
}

std::string interface_of(const std::string& name, const std::string& what,
                         const std::string& members) {
  return "/** " + what + " */\nexport " +
         (members.empty() ? "type " + name + " = Record<string, never>;\n\n"
                          : "interface " + name + " {\n" + members + "}\n\n");
}

std::string given_type(DType dtype) {
  if (dtype == DType::int64) return "ArrayLike<number> | BigInt64Array";
  return dtype == DType::boolean ? "ArrayLike<number | boolean>" : "ArrayLike<number>";
}

std::string package_json(const WebModel& web) {
  std::string name;  // npm takes lower case alone
  for (const char c : prefix(web.name))
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return fmt::format(R"({{
  "name": {},
  "version": "1.0.0",
  "description": "A model written by Mithril {}",
  "type": "module",
  "main": "./model.cjs",
  "module": "./model.mjs",
  "types": "./model.d.ts",
  "exports": {{
    ".": {{
      "import": {{ "types": "./model.d.mts", "default": "./model.mjs" }},
      "require": {{ "types": "./model.d.cts", "default": "./model.cjs" }}
    }},
    "./*": "./*"
  }},
  "sideEffects": false
}}
)",
                     javascript_string(name), version());
}

}  // namespace

WebModel web_model(const ExportedModel& model, const std::string& name, const Language& language) {
  WebModel web{.model = model,
               .name = name,
               .forward = make_program(model.graph, dims_of_ports(model), language)};
  if (model.gradients) {
    std::vector<Dims> dims = dims_of_ports(model);
    for (const size_t i : model.gradient_of)
      dims.push_back(web.forward.dims_of(value_of(web, model.outputs[i])));
    web.gradients = make_program(*model.gradients, dims, language);
  }
  const SourceProgram* const programs[] = {&web.forward,
                                           web.gradients ? &*web.gradients : &web.forward};
  check_ops(programs, language);
  web.is_wide = wide_ints(web.forward, language);
  if (web.gradients) check_wide(web, wide_ints(*web.gradients, language));
  place_ports(web);
  return web;
}

std::string web_description(const WebModel& web) {
  std::string inputs, outputs, output_gradients, gradients;
  for (size_t i = 0; i < web.model.inputs.size(); ++i) inputs += input_text(web, i);
  for (const ExportedOutput& output : web.model.outputs) {
    outputs +=
        port_text(web, output.key, value_of(web, output), web.forward_memory.outputs[output.index],
                  output.next_state ? ", next: true" : "");
  }
  size_t input = web.model.inputs.size(), output = web.forward.graph.outputs().size();
  if (web.gradients) {
    for (const size_t i : web.model.gradient_of) {
      output_gradients +=
          port_text(web, web.model.outputs[i].key, value_of(web, web.model.outputs[i]),
                    web.gradients_memory.inputs[input++], "");
    }
    for (size_t i = 0; i < web.model.inputs.size(); ++i) {
      if (!web.model.inputs[i].is_trained()) continue;
      gradients += port_text(web, web.model.inputs[i].key, web.forward.graph.inputs()[i],
                             web.gradients_memory.outputs[output++], "");
    }
  }
  return "const description = {\n  name: " + javascript_string(web.name) + ",\n" +
         list_text("inputs", inputs) + list_text("outputs", outputs) +
         list_text("outputGradients", output_gradients) + list_text("gradients", gradients) +
         fmt::format("  bytes: {},\n}};\n", web.bytes);
}

std::string web_declarations(const WebModel& web, WebEngine engine) {
  const bool is_wasm = engine == WebEngine::wasm;
  const Graph& graph = web.forward.graph;
  std::string data, parameters, states, outputs, output_gradients, gradients;
  const auto member = [&](const std::string& name, ValueId id, const std::string& type) {
    return "  /** " + type_and_shape(web, id) + " */\n  " + name + ": " + type + ";\n";
  };
  for (size_t i = 0; i < web.model.inputs.size(); ++i) {
    const ExportedInput& input = web.model.inputs[i];
    const ValueId id = graph.inputs()[i];
    const DType dtype = graph.value(id).dtype;
    const std::string key = javascript_string(input.key);
    if (input.role == Role::data) data += member(key, id, given_type(dtype));
    if (input.role == Role::parameter)
      parameters += member("readonly " + key, id, array_type(dtype));
    if (input.is_trained()) gradients += member(key, id, array_type(dtype));
    const bool is_big = (dtype == DType::int64 && is_wasm) || web.is_wide[index(id)];
    if (input.role == Role::state)
      states += member("readonly " + key, id, is_big ? "BigInt64Array" : array_type(dtype));
  }
  for (const ExportedOutput& output : web.model.outputs) {
    if (output.next_state) continue;
    const ValueId id = value_of(web, output);
    outputs += member(javascript_string(output.key), id, array_type(graph.value(id).dtype));
  }
  for (const size_t i : web.model.gradient_of) {
    const ExportedOutput& output = web.model.outputs[i];
    output_gradients +=
        member(javascript_string(output.key) + "?", value_of(web, output), "ArrayLike<number>");
  }
  std::string text = "// The types of the model " + javascript_string(web.name) +
                     ", written by Mithril " + std::string(version()) + ".\n\n";
  text += interface_of("Data", "The inputs of an evaluation.", data);
  text += interface_of("Outputs", "The outputs, as new arrays.", outputs);
  text += interface_of("Parameters", "The parameters.", parameters);
  text += interface_of("Gradients", "The gradients of the parameters.", gradients);
  text += interface_of("States", "The states, which each evaluation replaces.", states);
  text += interface_of("OutputGradients", "The gradients that come in at the outputs.",
                       output_gradients);
  text += std::string("/** What `evaluate` returns. */\nexport type Evaluation = ") +
          (engine == WebEngine::webgpu ? "Promise<Outputs>" : "Outputs") + ";\n\n";
  text += web_file("runtime.d.ts");
  if (is_wasm) return text + "\n" + web_file("wasm_loader.d.ts");
  return text + "\nexport declare function createModel(): Promise<Model>;\n";
}

std::string web_module(const WebModel& web, const std::string& head, const std::string& body,
                       ModuleKind kind) {
  const std::string names =
      "Adam, MithrilError, Model, SGD, createModel, readSafetensors, "
      "writeSafetensors";
  std::string text = "// The model " + javascript_string(comment(web.name)) +
                     ", written by Mithril " + std::string(version()) + head + ports_comment(web);
  if (kind == ModuleKind::common) text += "\"use strict\";\n";
  for (const char* file : {"basics.js", "runtime.js", "optimizers.js", "safetensors.js"})
    text += "\n" + without_exports(web_file(file));
  text += body;
  return text + (kind == ModuleKind::es ? "\nexport { " + names + " };\n"
                                        : "\nmodule.exports = { " + names + " };\n");
}

std::string javascript_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

void write_web_package(const std::string& folder, const WebModel& web, const std::string& types,
                       const std::string& es_module, const std::string& common_module) {
  write_generated_files(folder, {{"model.mjs", es_module},
                                 {"model.cjs", common_module},
                                 {"model.d.ts", types},
                                 {"model.d.mts", types},
                                 {"model.d.cts", types},
                                 {"package.json", package_json(web)}});
}

std::string module_name(const std::string& path) {
  const std::filesystem::path target(path);
  for (const char* other : {".js", ".cjs", ".ts"}) {
    if (target.extension() == other)
      refuse_generated(path, "a module is a file NAME.mjs, or a folder");
  }
  return target.stem().string();
}

void write_web_module(const std::string& path, const WebModel& web, WebEngine engine,
                      std::string (*module)(const WebModel&, ModuleKind)) {
  std::filesystem::path target(path);
  const std::string types = web_declarations(web, engine);
  if (target.extension() != ".mjs") {
    write_web_package(path, web, types, module(web, ModuleKind::es),
                      module(web, ModuleKind::common));
    return;
  }
  write_generated(target.replace_extension(".d.mts").string(), types);
  write_generated(path, module(web, ModuleKind::es));
}

}  // namespace mithril::codegen
