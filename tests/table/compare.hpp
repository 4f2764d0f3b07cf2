#pragma once

#include "mithril/check/compare.hpp"

namespace mithril::tests {

using check::difference;

}  // namespace mithril::tests
