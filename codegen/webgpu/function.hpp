// A program as a function of JavaScript that records the kernels of a model: function
// evaluator(program) {...}, for a GpuProgram of codegen/webgpu/kernels/program.js.
#pragma once
#include <set>
#include <string>

#include "codegen/javascript/function.hpp"

namespace mithril::codegen {

// Each tensor is in the buffer of its offset in `memory`: tensors of equal offsets share a buffer,
// and are never alive at the same time. BackendError E1032 for constants beyond 32 bits.
JavaScriptFunction webgpu_function(const std::string& name, const SourceProgram& program,
                                   const ProgramMemory& memory);

}  // namespace mithril::codegen
