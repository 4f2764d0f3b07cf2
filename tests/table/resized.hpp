#pragma once

#include "mithril/check/resized.hpp"
#include "tests/table/case.hpp"

namespace mithril::tests {

using check::resized;
using check::sizes_text;

}  // namespace mithril::tests
