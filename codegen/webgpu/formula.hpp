// A record's formula as an expression of WGSL, the language of WebGPU's shaders, for one node.
#pragma once
#include "codegen/common/language.hpp"

namespace mithril::codegen {

// Elements of float32 are f32, ints are i32, and bools are u32, which buffers can hold. Functions
// that WGSL lacks are those of codegen/webgpu/kernels/functions.js.
const Language& webgpu_language();

// "f32": the type of the elements of a tensor in a buffer.
std::string webgpu_type(DType dtype);

// Whether WebGPU holds the number: an int of at most 32 bits, or any other number.
bool fits_webgpu(int64_t number);

}  // namespace mithril::codegen
