// The text of the error of a call.
#pragma once

#include <string>

#include "mithril/base/error.hpp"

namespace mithril::tests {

template <typename Call>
std::string text_of_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

// Removes the list of known names, which grows with the library.
inline std::string without_known(std::string text) {
  const size_t from = text.find("\n  known : ");
  if (from != std::string::npos) text.erase(from, text.find('\n', from + 1) - from);
  return text;
}

}  // namespace mithril::tests
