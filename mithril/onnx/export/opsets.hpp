// What the opsets of ONNX have.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/tensor/dtype.hpp"

namespace mithril::onnx {

constexpr std::int64_t oldest_written_opset = 13, newest_written_opset = 25;

// NoForm if the opset lacks the op.
void check_opset(const std::string& op, std::int64_t opset);

// The first opset with this element type.
std::int64_t first_opset_of(DType dtype);

// Whether the opset has the op for elements of this dtype. Many ops take bfloat16 only in newer
// ones, and few take elements of few bits.
bool takes_dtype(const std::string& op, DType dtype, std::int64_t opset);

}  // namespace mithril::onnx
