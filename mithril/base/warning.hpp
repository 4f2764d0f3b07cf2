// Warnings: input that is suspicious but not an error.
#pragma once

#include <functional>
#include <string>

namespace mithril {

using WarningHandler = std::function<void(const std::string& text)>;

// Sets the function that is called with the text of each warning, and returns the previous one. The
// default writes to standard error. Thread-safe; any thread may call the handler.
WarningHandler set_warning_handler(WarningHandler handler);

void warn(const std::string& text);

}  // namespace mithril
