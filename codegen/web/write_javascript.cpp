#include "codegen/web/write_javascript.hpp"

#include <filesystem>

#include "codegen/common/generated_file.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/snippets.hpp"
#include "codegen/web/web_interface.hpp"
#include "mithril/base/out_of_memory.hpp"

namespace mithril {
namespace codegen {
namespace {

constexpr const char* javascript_head = R"(.
// It has no dependencies.
//
//     const model = await createModel();
//     model.loadStateDict(readSafetensors(bytes));
//     const outputs = model.evaluate(inputs);
//
// Tensors are arrays of elements in row-major order. Parameters are zeros until they are loaded.
)";

std::string javascript_module(const WebModel& web, ModuleKind kind) {
  LoopFunctions loops(javascript_reserved_names());
  JavaScriptFunction forward =
      javascript_function("evaluator", web.forward, web.forward_memory, loops);
  std::set<std::string> snippets = {"tensor"};
  snippets.merge(forward.snippets);
  std::string functions = forward.text;
  if (web.gradients) {
    JavaScriptFunction gradients =
        javascript_function("gradient_evaluator", *web.gradients, web.gradients_memory, loops);
    snippets.merge(gradients.snippets);
    functions += "\n" + gradients.text;
  }
  const std::string body = javascript_snippets_text(snippets) + "\n" + web_description(web) + "\n" +
                           loops.text() + functions + R"(
async function createModel() {
  const memory = new ArrayBuffer(description.bytes);
  return new Model(description, {
    start: 0,
    Int64Array: Float64Array,
    memory: () => memory,
    evaluate: evaluator(memory),
)" + (web.gradients ? "    evaluateGradients: gradient_evaluator(memory),\n" : "") +
                           "  });\n}\n";
  return web_module(web, javascript_head, body, kind);
}

}  // namespace
}  // namespace codegen

std::string javascript_source(const ExportedModel& model, const std::string& name) try {
  const auto web = codegen::web_model(model, name, codegen::javascript_language());
  return codegen::javascript_module(web, codegen::ModuleKind::es);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

void write_javascript(const ExportedModel& model, const std::string& path) try {
  namespace fs = std::filesystem;
  const fs::path target(path);
  for (const char* other : {".js", ".cjs", ".ts"}) {
    if (target.extension() == other)
      codegen::refuse_generated(path, "a module is a file NAME.mjs, or a folder");
  }
  const auto web =
      codegen::web_model(model, target.stem().string(), codegen::javascript_language());
  const std::string types = codegen::web_declarations(web, false);
  if (target.extension() == ".mjs") {
    codegen::write_generated(fs::path(path).replace_extension(".d.mts").string(), types);
    return codegen::write_generated(path, codegen::javascript_module(web, codegen::ModuleKind::es));
  }
  codegen::write_web_package(path, web, types,
                             codegen::javascript_module(web, codegen::ModuleKind::es),
                             codegen::javascript_module(web, codegen::ModuleKind::common));
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
