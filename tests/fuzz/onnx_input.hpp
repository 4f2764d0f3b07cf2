// Files of ONNX: a file is read or refused, within limits on time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mithril::fuzz {

// What reading it gave: "read", or the code of the error.
std::string check_onnx(const std::uint8_t* data, std::size_t size);

}  // namespace mithril::fuzz
