#pragma once

#include "mithril/check/derivative.hpp"
#include "tests/table/case.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

using check::Derivative;

}  // namespace mithril::tests
