// Files and folders that are written under another name, beside the ones that they will replace.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace mithril {

// The prefix of their names.
inline constexpr std::string_view unfinished_prefix = ".mithril-";

// An unpredictable path in the folder; empty if the system fails, and errno says why.
std::string unfinished_path(const std::string& folder);

// Removes the unfinished files (S_IFREG) or folders (S_IFDIR) of killed processes from the folder:
// those of this user that are an hour old, and that no process has locked.
void remove_unfinished(const std::string& folder, mode_t kind);

}  // namespace mithril
