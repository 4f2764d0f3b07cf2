// What JavaScript sees of a model: its ports with their places in one memory, and their types.
#pragma once
#include <optional>
#include <string>

#include "codegen/common/language.hpp"
#include "codegen/common/program.hpp"
#include "codegen/javascript/function.hpp"
#include "mithril/graph/exported_model.hpp"

namespace mithril::codegen {

// Both programs of a model, and where their tensors are.
struct WebModel {
  const ExportedModel& model;
  std::string name;
  SourceProgram forward;
  std::optional<SourceProgram> gradients;
  ProgramMemory forward_memory, gradients_memory;
  std::vector<bool> is_wide;  // per value of `forward`: ints of 64 bits that are BigInts
  int64_t bytes = 0;          // of the memory: ports, then a workspace that both programs share
};

// BackendError E1031 with all ops that the language lacks, E1032 for half precision.
WebModel web_model(const ExportedModel& model, const std::string& name, const Language& language);

// The object that the class Model of codegen/web/runtime.js takes.
std::string web_description(const WebModel& web);

// What computes the model.
enum class WebEngine : uint8_t { javascript, wasm, webgpu };

// The .d.ts file.
std::string web_declarations(const WebModel& web, WebEngine engine);

// Writes an npm package: the two modules, their types and package.json.
void write_web_package(const std::string& folder, const WebModel& web, const std::string& types,
                       const std::string& es_module, const std::string& common_module);

// A module with this body as an ES module, or for `require`.
enum class ModuleKind : uint8_t { es, common };
// The name of the model of the module at a path. BackendError E1030 for the endings of other
// modules.
std::string module_name(const std::string& path);
// Writes the module at a path that ends with ".mjs" and its types, or a package.
void write_web_module(const std::string& path, const WebModel& web, WebEngine engine,
                      std::string (*module)(const WebModel&, ModuleKind));
std::string web_module(const WebModel& web, const std::string& head, const std::string& body,
                       ModuleKind kind);

// A text in quotes.
std::string javascript_string(std::string_view text);

}  // namespace mithril::codegen
