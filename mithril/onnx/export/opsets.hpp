// What the opsets of ONNX have.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/tensor/dtype.hpp"

namespace mithril::onnx {

constexpr std::int64_t oldest_written_opset = 13, newest_written_opset = 24;

// NoForm if the opset lacks the op.
void check_opset(const std::string& op, std::int64_t opset);

// Whether the opset has the op for floats of this dtype. Many ops take bfloat16 only in newer ones.
bool takes_float(const std::string& op, DType dtype, std::int64_t opset);

}  // namespace mithril::onnx
