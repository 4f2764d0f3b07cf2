#include "codegen/web/write_webgpu.hpp"

#include "codegen/web/web_interface.hpp"
#include "codegen/web/web_text.hpp"
#include "codegen/webgpu/formula.hpp"
#include "codegen/webgpu/function.hpp"
#include "codegen/webgpu/snippets.hpp"

namespace mithril {
namespace codegen {
namespace {

constexpr const char* webgpu_head = R"(.
// It computes with WebGPU, and has no dependencies.
//
//     const model = await createModel();
//     model.loadStateDict(readSafetensors(bytes));
//     const outputs = await model.evaluate(inputs);
//
// Tensors are arrays of elements in row-major order. Parameters are zeros until they are loaded.
)";

std::string webgpu_module(const WebModel& web, ModuleKind kind) {
  JavaScriptFunction forward = webgpu_function("evaluator", web.forward, web.forward_memory);
  std::set<std::string> snippets = {"program"};
  snippets.merge(forward.snippets);
  const std::string body = webgpu_snippets_text(snippets) + "\n" + web_description(web) + "\n" +
                           forward.text + "\n" + web_file("webgpu_engine.js") + R"(
async function createModel() {
  return new Model(description, await webgpuEngine(description, evaluator));
}
)";
  return web_module(web, webgpu_head, body, kind);
}

}  // namespace
}  // namespace codegen

void write_webgpu(const ExportedModel& model, const std::string& path) {
  ExportedModel forward = model;
  forward.gradients.reset();
  forward.gradient_of.clear();
  codegen::WebModel web =
      codegen::web_model(forward, codegen::module_name(path), codegen::webgpu_language());
  web.bytes = web.forward_memory.workspace;  // the CPU has the ports alone
  codegen::write_web_module(path, web, codegen::WebEngine::webgpu, codegen::webgpu_module);
}

}  // namespace mithril
