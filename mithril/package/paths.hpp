// Names of files in a package, and the errors that name files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {

inline constexpr const char *metadata_name = "metadata.json", *info_name = "model_info.json",
                            *model_name = "model.json", *tensors_name = "model.safetensors";

// Whether the name is relative, in normal form, and inside of every package: components of at most
// 255 bytes without control characters, backslashes, ".", ".." and a leading ".mithril-".
bool is_package_path(std::string_view name);

// Whether the file at this place in a package may hold native code: any file for a backend except
// its options.
bool is_native(std::string_view name);

// "model.safetensors", "model-00001-of-00002.safetensors" and the index.
bool is_tensor_file(std::string_view name);

[[noreturn]] void refuse_package(std::string code, const std::string& where, std::string message,
                                 std::vector<Fact> facts = {}, std::string help = {});

// Runs an action that reads a file of the package. Its errors name the file.
template <typename Action>
auto reading_file(const std::string& where, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    if (details.path.starts_with(where)) throw;
    if (!details.path.empty())
      details.facts.insert(details.facts.begin(), {"at", details.path, ""});
    details.path = where;
    raise(std::move(details));
  }
}

}  // namespace mithril
