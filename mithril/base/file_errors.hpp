// Errors of files that cannot be read or written.
#pragma once

#include <string>

namespace mithril {

// The text of the system for an errno.
std::string reason_of(int error);

// InputError E0830, with the reason of the system.
[[noreturn]] void cannot_read(const std::string& path, const std::string& why);
// InputError E0831, with the reason of the system.
[[noreturn]] void cannot_write(const std::string& path, const std::string& why);

}  // namespace mithril
