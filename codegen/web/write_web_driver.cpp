#include "codegen/web/write_web_driver.hpp"

#include <fmt/format.h>

#include "codegen/common/generated_file.hpp"
#include "codegen/web/web_text.hpp"
#include "mithril/base/version.hpp"

namespace mithril {

void write_web_driver(const std::string& folder) {
  const std::string source = codegen::without_exports(codegen::web_file("torch_model.js")) + "\n" +
                             codegen::without_exports(codegen::web_file("zip.js"));
  const std::string types = codegen::web_file("driver.d.ts");
  const std::string package = fmt::format(R"({{
  "name": "mithril-driver",
  "version": "{}",
  "description": "Generates text with language models in Mithril packages",
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
