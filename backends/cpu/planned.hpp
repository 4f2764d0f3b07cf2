// Runs a graph by plans, one for each combination of sizes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mithril/backend/backend.hpp"

namespace mithril::cpu_backend {

struct PlanOptions {
  std::shared_ptr<const Observer> observer = nullptr;
  int threads = 1;
  std::optional<int64_t> memory_limit = {};  // in bytes, of one run
  bool winograd = true;                      // convolutions may use his algorithm
  bool native = false;                       // loops are compiled, where that can be
  std::string native_note = {};              // why they are not, where they were to be
};

std::unique_ptr<Executable> make_planned(Graph graph, PlanOptions options);

}  // namespace mithril::cpu_backend
