#include "codegen/web/write_javascript.hpp"

#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/snippets.hpp"
#include "codegen/web/web_interface.hpp"
#include "codegen/web/write_webgpu.hpp"
#include "mithril/base/names.hpp"

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

std::string javascript_source(const ExportedModel& model, const std::string& name) {
  const auto web = codegen::web_model(model, name, codegen::javascript_language());
  return codegen::javascript_module(web, codegen::ModuleKind::es);
}

void write_javascript(const ExportedModel& model, const std::string& path,
                      const std::string& device) {
  if (device == "webgpu") return write_webgpu(model, path);
  if (device != "cpu")
    unknown_member(ErrorKind::name, "E0630", "JavaScript", "device", device, "", {"cpu", "webgpu"});
  const auto web =
      codegen::web_model(model, codegen::module_name(path), codegen::javascript_language());
  codegen::write_web_module(path, web, codegen::WebEngine::javascript, codegen::javascript_module);
}

}  // namespace mithril
