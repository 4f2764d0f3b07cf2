// Values of options as texts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/cli/command.hpp"
#include "mithril/model/model.hpp"

namespace mithril::cli {

// "x=a.npy" as the key and the rest. UsageError without "=".
std::pair<std::string, std::string> parse_pair(const std::string& option, const std::string& text);
// The value of --constant: an int, a float or a bool. UsageError for another text.
Datum parse_constant(const std::string& text);
// The keys and sizes of texts of --shape: "x=8,4". UsageError for another form.
std::vector<std::pair<std::string, ShapeSpec>> shapes_of(const std::vector<std::string>& texts);
// The value of --seed, or 0.
std::uint64_t seed_of(const Arguments& arguments);

}  // namespace mithril::cli
