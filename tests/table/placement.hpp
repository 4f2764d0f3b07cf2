#pragma once

#include "mithril/check/placement.hpp"
#include "tests/table/case.hpp"

namespace mithril::tests {

using check::Inferred;
using check::is_accepted;
using check::makes_values;
using check::place;

}  // namespace mithril::tests
