// A compiled model as a module of JavaScript that computes with WebGPU.
#pragma once
#include <string>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// Writes a module as write_javascript does, whose `evaluate` returns a promise (docs/web.md). It
// has no gradients. BackendError E1031 lists every op without a kernel for WebGPU; E1032 for dtypes
// and ints that it lacks; E1030 as write_javascript. Example:
//   ml::write_webgpu(compiled.exported(), "model.mjs");
void write_webgpu(const ExportedModel& model, const std::string& path);

}  // namespace mithril
