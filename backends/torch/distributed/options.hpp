// Options of a communicator, by name.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

inline const Datum* find_option(const Arguments& options, std::string_view name) {
  for (const auto& [key, value] : options) {
    if (key == name) return &value;
  }
  return nullptr;
}

inline const Datum& option(const Arguments& options, std::string_view name) {
  const Datum* const found = find_option(options, name);
  MITHRIL_CHECK(found, "an option of the communicator is missing");
  return *found;
}

inline std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(seconds));
}

}  // namespace mithril::torch_backend
