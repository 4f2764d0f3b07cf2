// The expressions in which records spell ops for C, computed number by number.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mithril/op/formula.hpp"

namespace mithril::check {

// What stands at a port: an element or a value.
using PortNumber = std::function<double(const std::string& port)>;
using PortInteger = std::function<std::int64_t(const std::string& port)>;

// Nothing where the formula chooses a branch that is unsupported. InternalError for a function or
// an operator that generated C++ does not have for such numbers.
std::optional<double> evaluate(const Formula& formula, const PortNumber& port);
// The same of ints, whose sums and products wrap.
std::optional<std::int64_t> evaluate_integer(const Formula& formula, const PortInteger& port);

}  // namespace mithril::check
