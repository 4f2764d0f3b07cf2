// The files of codegen/web as text.
#pragma once
#include <string>
#include <string_view>

namespace mithril::codegen {

std::string web_file(std::string_view name);  // "runtime.js"

// A module of JavaScript without its imports and exports.
std::string without_exports(const std::string& text);

}  // namespace mithril::codegen
