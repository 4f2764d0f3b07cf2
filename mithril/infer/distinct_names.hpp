// Distinct symbols get distinct names in texts for people.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "mithril/infer/facts.hpp"

namespace mithril {

// Copies dims to other facts. The first symbol with a name keeps it, the next ones become "N_1",
// "N_2": two parts may each name a size N without meaning the same one.
class DistinctNames {
 public:
  explicit DistinctNames(Facts& to) : to_(to) {}

  Dim copy(const Dim& dim);
  Shape copy(const Shape& shape);

 private:
  std::string free_name(std::string_view name);

  Facts& to_;
  Renaming copies_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace mithril
