// The statistics of an engine as Prometheus reads them.
#pragma once

#include <string>

#include "mithril/engine/engine.hpp"

namespace mithril {

// The statistics in the text format of Prometheus, version 0.0.4.
std::string prometheus_text(const Engine& engine);

}  // namespace mithril
