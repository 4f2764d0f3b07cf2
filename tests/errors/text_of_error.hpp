// What a call says when it fails.
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

}  // namespace mithril::tests
