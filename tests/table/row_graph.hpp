#pragma once

#include "mithril/check/row_graph.hpp"
#include "tests/table/case.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {

using check::build;
using check::contents;
using check::dims_of;
using check::float_inputs;
using check::float_outputs;
using check::Knowledge;
using check::name;
using check::output_dims_difference;
using check::RowGraph;

}  // namespace mithril::tests
