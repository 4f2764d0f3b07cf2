// Files of generated source.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mithril::codegen {

// Writes the pieces one after another, as a whole or not at all. BackendError E1030 with the reason
// if the file cannot be written.
void write_generated(const std::string& path, std::span<const std::string_view> pieces);
void write_generated(const std::string& path, std::string_view source);

}  // namespace mithril::codegen
