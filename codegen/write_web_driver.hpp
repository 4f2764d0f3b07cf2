// A driver for pipelines of language models in JavaScript.
#pragma once
#include <string>

namespace mithril {

// Writes an npm package with TorchModel, LMError and TorchUtils: a byte-level language model in a
// Mithril package, whose backends/wasm or backends/javascript has its module, generates text
// (docs/web.md). BackendError E1030 if a file cannot be written.
void write_web_driver(const std::string& folder);

}  // namespace mithril
