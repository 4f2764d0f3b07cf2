// A JavaScript driver that generates text with language models, and trains small ones.
#pragma once
#include <string>

namespace mithril {

// Writes an npm package with TorchModel, LMError and TorchUtils. It generates text with a
// byte-level language model in a Mithril package, whose backends/wasm or backends/javascript
// contains the module, or with a network of its own, which it trains (docs/web.md). BackendError
// E1030 if a file cannot be written.
void write_web_driver(const std::string& folder);

}  // namespace mithril
