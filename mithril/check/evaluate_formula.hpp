// Evaluates the C formulas of records, one element at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mithril/op/formula.hpp"

namespace mithril::check {

// Returns the number at a port: an element or a value.
using PortNumber = std::function<double(const std::string& port)>;
using PortInteger = std::function<std::int64_t(const std::string& port)>;
// Whether a port holds None; null: no port does.
using PortIsNone = std::function<bool(const std::string& port)>;

// Nullopt if the formula takes an unsupported branch. InternalError for a function or an operator
// that generated C++ lacks for such numbers.
std::optional<double> evaluate(const Formula& formula, const PortNumber& port,
                               const PortIsNone& is_none = nullptr);
// The same for ints, whose sums and products wrap.
std::optional<std::int64_t> evaluate_integer(const Formula& formula, const PortInteger& port,
                                             const PortIsNone& is_none = nullptr);

}  // namespace mithril::check
