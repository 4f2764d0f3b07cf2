// A test case, or a part of one, that cannot run here.
#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "backends/torch/torch.hpp"
#include "tests/results.hpp"

namespace mithril::tests {

// Call this once per test case. The reason is in the words of .ci/expected_skips. A case without
// assertions does not count as passed.
inline void skip(const std::string& reason) {
  ++skipped_results[reason];
  MESSAGE("skipped: " << reason);
}

inline bool has_torch() { return std::filesystem::exists(plugin_path("mithril_torch")); }

inline void skip_without_torch() { skip("torch is not built"); }

}  // namespace mithril::tests
