#include "mithril/passes/placements/placement.hpp"

namespace mithril {

std::string to_string(const Placement& placement) {
  if (placement.is_sharded()) return "sharded along axis " + std::to_string(placement.axis);
  return placement.is_partial() ? "partial " + std::string(name(placement.reduction))
                                : "replicated";
}

}  // namespace mithril
