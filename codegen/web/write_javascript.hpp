// A compiled model as a module of JavaScript without dependencies.
#pragma once
#include <string>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// An ES module with the model, its gradient if it has one, the optimizers Adam and SGD, and readers
// and writers of weights (docs/web.md). BackendError E1031 lists every op without JavaScript; E1032
// for half precision. Example:
//   ml::write_javascript(compiled.exported(), "model.mjs");
std::string javascript_source(const ExportedModel& model, const std::string& name);

// Writes the module and its types: model.mjs and model.d.mts. A path without ".mjs" is a folder: an
// npm package for `import` and `require`. BackendError E1030 if a file cannot be written, or the
// path ends with ".js". `device`: "cpu", or "webgpu" as write_webgpu; NameError E0630 for others.
void write_javascript(const ExportedModel& model, const std::string& path,
                      const std::string& device = "cpu");

}  // namespace mithril
