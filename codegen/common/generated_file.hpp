// Files of generated source.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mithril::codegen {

// BackendError E1030 with the reason, if there is one.
void refuse_generated(const std::string& path, const std::string& why);

// Writes the pieces one after another, as a whole or not at all. BackendError E1030 with the reason
// if the file cannot be written.
void write_generated(const std::string& path, std::span<const std::string_view> pieces);
void write_generated(const std::string& path, std::string_view source);

// The ending of a file that a target writes, such as ".py", if the path has one; else empty.
std::string_view file_ending_of(std::string_view path);

// Writes files into a folder, which is made if it is not there, by their names. BackendError E1030
// also for a folder with the ending of a file, such as "net.py".
void write_generated_files(const std::string& folder,
                           const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace mithril::codegen
