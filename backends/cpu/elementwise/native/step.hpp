// Steps that run elementwise programs as native code.
#pragma once

#include <memory>

#include "backends/cpu/elementwise/native/text.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

struct NativeStepOptions {
  const ShapedGraph& shaped;
  const ElementwiseProgram& program;
  const NativeProgram& native;
  NativeFunction function;
  int threads = 1;
};

std::unique_ptr<ElementStep> make_native_step(const NativeStepOptions& options,
                                              const BufferRefs& refs);

}  // namespace mithril::cpu_backend
