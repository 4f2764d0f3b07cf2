// What torch says about an error.
#pragma once

#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <string>

namespace mithril::torch_backend {

// The first line, without the stack of torch's calls and the file in front of it.
inline std::string torch_text(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_torch ? of_torch->what_without_backtrace() : error.what();
  text.resize(std::min(text.find('\n'), text.size()));
  const std::size_t file_end = text.starts_with("[/") ? text.find("] ") : std::string::npos;
  return file_end == std::string::npos ? text : text.substr(file_end + 2);
}

}  // namespace mithril::torch_backend
