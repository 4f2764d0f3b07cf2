// What the opsets of ONNX have.
#pragma once
#include <cstdint>
#include <string>

namespace mithril::onnx {

constexpr std::int64_t oldest_written_opset = 13, newest_written_opset = 24;

// NoForm if the opset lacks the op.
void check_opset(const std::string& op, std::int64_t opset);

}  // namespace mithril::onnx
