// The text of PerSample::explain.
#pragma once

#include <string>

#include "mithril/per_sample/per_sample_programs.hpp"

namespace mithril {

// A paragraph for each parameter: its strategy, the cost of each possible one, and its terms.
std::string explained(const PerSampleProgram& program);

}  // namespace mithril
