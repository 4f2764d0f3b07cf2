// Runs a graph by plans, one for each combination of sizes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mithril/backend/backend.hpp"

namespace mithril::cpu_backend {

struct PlanOptions {
  std::shared_ptr<const Observer> observer = nullptr;
  int threads = 1;
  std::optional<int64_t> memory_limit = {};  // in bytes, of one run
  bool winograd = true;                      // convolutions may use his algorithm
  bool fuse = true;                          // nodes may run together; else one by one
  bool native = false;                       // loops are compiled, where that can be
  std::vector<Donation> donations = {};
  std::string native_note = {};            // why they are not, where they were to be
  std::optional<DType> weight_dtype = {};  // in which constant weights of products are held
  bool bfloat16_products = true;           // by the processor's instruction, where it has one
};

std::unique_ptr<Executable> make_planned(const Graph& graph, PlanOptions options);

}  // namespace mithril::cpu_backend
