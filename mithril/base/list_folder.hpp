// The entries of folders.
#pragma once

#include <string>
#include <vector>

namespace mithril {

// The names in a folder, in any order; empty if it cannot be read.
std::vector<std::string> names_in_folder(const std::string& path);

// Removes a folder with its contents, or a file; what cannot be removed stays. Throws nothing, so
// destructors may call it.
void remove_tree(const char* path);

}  // namespace mithril
