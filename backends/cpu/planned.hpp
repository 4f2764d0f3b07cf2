// Runs a graph by plans, one for each combination of sizes.
#pragma once

#include <memory>
#include <optional>

#include "mithril/backend/backend.hpp"

namespace mithril::cpu_backend {

struct PlanOptions {
  std::shared_ptr<const Observer> observer = nullptr;
  int threads = 1;
  std::optional<int64_t> memory_limit = {};  // in bytes, of one run
  bool winograd = true;                      // convolutions may use his algorithm
};

std::unique_ptr<Executable> make_planned(Graph graph, PlanOptions options);

}  // namespace mithril::cpu_backend
