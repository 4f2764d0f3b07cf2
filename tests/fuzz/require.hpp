// Shared by the fuzzers: checks that end the process, and expected errors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/base/limits.hpp"
#include "mithril/base/printable.hpp"

namespace mithril::fuzz {

// Aborts the process if the claim is false; libFuzzer then reports the input.
inline void require(bool claim, const std::string& what) {
  if (claim) return;
  std::fprintf(stderr, "not true: %s\n", what.c_str());
  std::abort();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The result of the call; none if it refuses its input with an error of Mithril, whose text has a
// code and no line breaks from the input. Any other exception ends the process.
template <typename Call>
auto unless_refused(Call call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) {
    require(error.code().size() == 5, std::string("an error has a code: ") + error.what());
    for (std::string_view rest = error.what(); !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      require(printable(line) == line, "an error is printable: " + printable(line));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    return std::nullopt;
  }
}

// Limits that keep the time of an input to milliseconds.
inline void set_small_limits() {
  set_limits({.repetitions = 8, .parts = 300, .dim_terms = 64, .tuple_items = 1'000});
}

}  // namespace mithril::fuzz
