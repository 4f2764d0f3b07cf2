// Reads whole files.
#pragma once

#include <string>

namespace mithril::cli {

// InputError E0830 if it cannot be read.
std::string read_text(const std::string& path);
// What another program may have written: empty if the file cannot be read.
std::string text_if_any(const std::string& path);

}  // namespace mithril::cli
