#include "codegen/web/write_web_driver.hpp"

#include <fmt/format.h>

#include "codegen/common/generated_file.hpp"
#include "codegen/javascript/snippets.hpp"
#include "codegen/web/web_text.hpp"
#include "mithril/base/version.hpp"

namespace mithril {
namespace {

// One module, from the files that it imports to those that import them.
std::string driver_source() {
  std::string source;
  for (const char* file : {"basics.js", "optimizers.js", "safetensors.js"})
    source += codegen::without_exports(codegen::web_file(file)) + "\n";
  source += codegen::javascript_snippets_text(
      {"error_function", "gemm", "layer_norm", "layer_norm_grad", "linear", "tensor"});
  for (const char* file :
       {"errors.js", "files.js", "zip.js", "architecture.js", "sampling.js", "attention_heads.js",
        "language_model.js", "training.js", "package.js", "tensors.js", "torch_model.js"})
    source += "\n" + codegen::without_exports(codegen::web_file(file));
  return source;
}

}  // namespace

void write_web_driver(const std::string& folder) {
  const std::string source = driver_source();
  const std::string types = codegen::web_file("driver.d.ts");
  const std::string package = fmt::format(R"({{
  "name": "mithril-driver",
  "version": "{}",
  "description": "Generates text with language models in Mithril packages, and trains small ones",
  "type": "module",
  "main": "./driver.cjs",
  "module": "./driver.mjs",
  "types": "./driver.d.ts",
  "exports": {{
    ".": {{
      "import": {{ "types": "./driver.d.mts", "default": "./driver.mjs" }},
      "require": {{ "types": "./driver.d.cts", "default": "./driver.cjs" }}
    }}
  }},
  "sideEffects": false
}}
)",
                                          version());
  codegen::write_generated_files(
      folder, {{"driver.mjs", source + "\nexport { LMError, TorchModel, TorchUtils };\n"},
               {"driver.cjs", "\"use strict\";\n" + source +
                                  "\nmodule.exports = { LMError, TorchModel, TorchUtils };\n"},
               {"driver.d.ts", types},
               {"driver.d.mts", types},
               {"driver.d.cts", types},
               {"package.json", package}});
}

}  // namespace mithril
