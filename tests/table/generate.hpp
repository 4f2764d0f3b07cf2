#pragma once

#include "mithril/check/generate.hpp"
#include "tests/table/case.hpp"

namespace mithril::tests {

using check::generate;
using check::Random;
using check::random_direction;

}  // namespace mithril::tests
