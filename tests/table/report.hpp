#pragma once

#include "mithril/check/report.hpp"

namespace mithril::tests {

using check::Check;
using check::check_count;
using check::name;
using check::Report;

}  // namespace mithril::tests
