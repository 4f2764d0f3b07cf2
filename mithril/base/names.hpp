// Checks names, and reports those that were not found with the nearest ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {

// NameError E0622 if the name contains a NUL, which ends a string in C.
void check_name(std::string_view name);

// How many letters to insert, drop, replace or swap with their neighbour to turn one into the other
// (optimal string alignment distance; bytes, not code points).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates that `name` may have been meant to be, nearest first: a few letters away, ignoring
// case, or with `name` as the last or first part of their path ("weight" and "encoder" are near
// "encoder.fc1.weight"), or before a "_" ("float8" is near "float8_e5m2").
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t at_most = 3);

// "did you mean 'weight' or 'weights'?", or empty if no candidate is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// Raises "there is no port 'wieght'" with the names that exist (cut when many) and the nearest ones
// as help. Example:
//   unknown_name(ErrorKind::name, "E0601", "port", "wieght", "encoder.fc1", {"input", "weight",
//   "bias"});
[[noreturn]] void unknown_name(ErrorKind kind, std::string_view code, std::string_view what,
                               std::string_view name, std::string_view path,
                               const std::vector<std::string>& candidates);

// As unknown_name, where the names belong to `owner`: "Linear has no port 'wieght'".
[[noreturn]] void unknown_member(ErrorKind kind, std::string_view code, std::string_view owner,
                                 std::string_view what, std::string_view name,
                                 std::string_view path, const std::vector<std::string>& candidates);

}  // namespace mithril
