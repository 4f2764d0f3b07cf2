// A row with other sizes, to see more shapes than a hand writes down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mithril/check/op_case.hpp"

namespace mithril::check {

// Sizes above 1 become others; equal ones stay equal. Nothing where the elements of an input depend
// on sizes (indices, given values) or no size changes. Whether the op accepts the result is for
// inference to say.
std::optional<OpCase> resized(const OpCase& row, std::uint64_t seed);

// With this in place of each size above 1. Nothing in the same cases.
std::optional<OpCase> with_sizes(const OpCase& row, std::int64_t size);

// "[2, 3] [3, 4]": the dims of the row's tensors.
std::string sizes_text(const OpCase& row);

}  // namespace mithril::check
