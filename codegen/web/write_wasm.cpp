#include "codegen/web/write_wasm.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "codegen/common/generated_file.hpp"
#include "codegen/common/names.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "codegen/cpp/interface.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "codegen/web/web_interface.hpp"
#include "codegen/web/web_text.hpp"

namespace mithril {
namespace codegen {
namespace {

constexpr const char* wasm_head = R"(, for engines with WebAssembly SIMD.
// It loads the file model.wasm beside it.
//
//     const model = await createModel();
//     model.loadStateDict(readSafetensors(bytes));
//     const outputs = model.evaluate(inputs);
//
// Tensors are arrays of elements in row-major order. Parameters are zeros until they are loaded.
)";

constexpr const char* fail_declaration = R"(
extern "C" [[noreturn]] __attribute__((import_module("env"), import_name("mithril_fail"))) void
mithril_fail(const char* message);

)";

// Sets the pointers of a struct to places in the memory of the model.
class PointerText {
 public:
  explicit PointerText(const std::string& prefix) : prefix_(prefix) {}

  void begin(const std::string& what, const std::string& variable) {
    variable_ = variable;
    text_ += "  " + prefix_ + "_" + what + " " + variable + "{};\n";
  }
  void add(const std::string& member, int64_t offset) {
    text_ += fmt::format("  {0}.{1} = reinterpret_cast<decltype({0}.{1})>(memory + {2});\n",
                         variable_, member, offset);
  }
  const std::string& text() const { return text_; }

 private:
  std::string prefix_, variable_, text_;
};

std::string wasm_entry_points(const WebModel& web, const std::string& prefix) {
  const Members members = members_of(web.model);
  PointerText pointers(prefix);
  pointers.begin("inputs", "in");
  for (size_t i = 0; i < members.inputs.size(); ++i)
    pointers.add(members.inputs[i], web.forward_memory.inputs[i]);
  pointers.begin("outputs", "out");
  for (size_t i = 0; i < members.outputs.size(); ++i)
    pointers.add(members.outputs[i], web.forward_memory.outputs[web.model.outputs[i].index]);
  const auto function = [&](const std::string& name, const std::string& body,
                            const std::string& arguments) {
    return fmt::format(
        "extern \"C\" __attribute__((export_name(\"{0}\"))) void {0}(char* memory) {{\n"
        "  mithril_wasm::free_scratch(memory + {1});\n{2}"
        "  {3}_{0}({4}, memory + {5});\n}}\n\n",
        name, web.bytes, body, prefix, arguments, web.forward_memory.workspace);
  };
  std::string text = function("evaluate", pointers.text(), "&in, &out");
  if (!web.gradients) return text;
  size_t next = web.model.inputs.size();
  pointers.begin("output_gradients", "incoming");
  for (const std::string& member : members.output_gradients)
    pointers.add(member, web.gradients_memory.inputs[next++]);
  pointers.begin("gradients", "outgoing");
  next = web.forward.graph.outputs().size();
  for (const std::string& member : members.gradients)
    pointers.add(member, web.gradients_memory.outputs[next++]);
  return text + function("evaluate_gradients", pointers.text(), "&in, &incoming, &out, &outgoing");
}

std::string wasm_module(const WebModel& web, ModuleKind kind) {
  const std::string url =
      kind == ModuleKind::es
          ? "new URL(\"model.wasm\", import.meta.url)"
          : "require(\"node:url\").pathToFileURL(require(\"node:path\").join(__dirname, "
            "\"model.wasm\"))";
  return web_module(web, wasm_head,
                    "\n" + without_exports(web_file("wasm_engine.js")) + "\n" +
                        web_description(web) + "\nconst moduleUrl = () => " + url + ";\n" +
                        web_file("wasm_loader.js"),
                    kind);
}

}  // namespace
}  // namespace codegen

std::string wasm_source(const ExportedModel& model, const std::string& name) {
  const auto web = codegen::web_model(model, name, codegen::cpp_language());
  const std::string prefix = codegen::prefix(name) + "_model";
  return codegen::fail_declaration + codegen::web_file("wasm_support.hpp") + "\n" +
         cpp_source(model, prefix) + "\n" + codegen::wasm_entry_points(web, prefix);
}

void write_wasm_loaders(const ExportedModel& model, const std::string& folder) {
  const std::string name = std::filesystem::path(folder).filename().string();
  const auto web = codegen::web_model(model, name, codegen::cpp_language());
  codegen::write_web_package(folder, web, codegen::web_declarations(web, codegen::WebEngine::wasm),
                             codegen::wasm_module(web, codegen::ModuleKind::es),
                             codegen::wasm_module(web, codegen::ModuleKind::common));
}

}  // namespace mithril
