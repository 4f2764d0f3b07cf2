// What is suspicious, but no error.
#pragma once

#include <functional>
#include <string>

namespace mithril {

using WarningHandler = std::function<void(const std::string& text)>;

// Replaces what is called with the text of each warning, and returns what was called until now. At
// first each is written to standard error. Thread-safe; the handler may be called by any thread.
WarningHandler set_warning_handler(WarningHandler handler);

void warn(const std::string& text);

}  // namespace mithril
