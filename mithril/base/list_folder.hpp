// The entries of folders.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mithril {

// The names in a folder, in any order; empty if it cannot be read.
std::vector<std::string> names_in_folder(const std::string& path);
// The same for an open folder, once for each descriptor. Nothing if it cannot be read; errno says
// why.
std::optional<std::vector<std::string>> names_in_open_folder(int descriptor);

// Removes a folder with its contents, or a file. Entries that cannot be removed stay. Throws
// nothing, so destructors may call it.
void remove_tree(const char* path);

}  // namespace mithril
