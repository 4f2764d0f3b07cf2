// Files that a command makes in a temporary folder.
#pragma once

#include <functional>
#include <string>

#include "mithril/base/temporary_folder.hpp"

namespace mithril::cli {

// MissingError if the folder could not be made.
void check_made(const TemporaryFolder& folder);

// Runs work that writes files to the folder. InputError E0831 if one cannot be written: of `asked`,
// the path that the call asks for, or of the temporary folder if that is empty.
void write_temporary(const TemporaryFolder& folder, const std::string& asked,
                     const std::function<void()>& work);
// The same for a text.
void write_temporary(const TemporaryFolder& folder, const std::string& asked,
                     const std::string& path, const std::string& text);

}  // namespace mithril::cli
