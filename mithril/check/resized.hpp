// Variants of a row with other sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mithril/check/op_case.hpp"

namespace mithril::check {

// Replaces the sizes above 1; equal sizes stay equal. Nullopt if the elements of an input depend on
// sizes (indices, given values) or if no size changes. The op may refuse the result.
std::optional<OpCase> resized(const OpCase& row, std::uint64_t seed);

// Replaces each size above 1 by `size`. Nullopt in the same cases.
std::optional<OpCase> with_sizes(const OpCase& row, std::int64_t size);

// "[2, 3] [3, 4]": the dims of the row's tensors.
std::string sizes_text(const OpCase& row);

}  // namespace mithril::check
