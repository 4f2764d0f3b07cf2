// Matches the patterns of an op with dims, which binds their variables.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "mithril/infer/dim.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

using DimView = std::span<const Dim>;

inline bool all_same(DimView a, DimView b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Dim& x, const Dim& y) { return same(x, y); });
}

// Values for the variables of an op's patterns.
// Bound runs view dims that outlive it.
class Matching {
 public:
  static bool can_hold(const CompiledPorts& ports) {
    return ports.dims.size() <= most_dims && ports.runs.size() <= most_runs;
  }

  // False if the dims do not provably fit. In a list port every item has its own run.
  bool match(const CompiledPorts::Port& port, DimView dims, bool list) {
    const auto& elements = port.elements;
    const bool has_run =
        std::any_of(elements.begin(), elements.end(), [](const auto& e) { return e.run; });
    if (has_run ? dims.size() + 1 < elements.size() : dims.size() != elements.size()) return false;
    size_t at = 0;
    for (const CompiledPorts::Element& element : elements) {
      if (element.run) {
        const DimView part = dims.subspan(at, dims.size() + 1 - elements.size());
        at += part.size();
        if (!list && !bind_run(element.variable, part)) return false;
      } else if (!match(element, dims[at++])) {
        return false;
      }
    }
    return true;
  }

  bool bind(int variable, const Dim& dim) {
    auto& bound = dims_[static_cast<size_t>(variable)];
    if (bound) return same(*bound, dim);
    bound = dim;
    return true;
  }

  bool bind_run(int variable, DimView dims) {
    auto& bound = runs_[static_cast<size_t>(variable)];
    if (bound) return all_same(*bound, dims);
    bound = dims;
    return true;
  }

  const std::optional<Dim>& dim(int variable) const { return dims_[static_cast<size_t>(variable)]; }
  const std::optional<DimView>& run(int variable) const {
    return runs_[static_cast<size_t>(variable)];
  }

  // The dims of the pattern. False if a variable is unknown.
  bool build(const CompiledPorts::Port& port, std::vector<Dim>& dims) const {
    dims.clear();
    for (const CompiledPorts::Element& element : port.elements) {
      if (element.run) {
        if (!run(element.variable)) return false;
        dims.insert(dims.end(), run(element.variable)->begin(), run(element.variable)->end());
      } else if (element.variable < 0) {
        dims.emplace_back(element.number);
      } else if (dim(element.variable)) {
        dims.push_back(*dim(element.variable));
      } else {
        return false;
      }
    }
    return true;
  }

 private:
  bool match(const CompiledPorts::Element& element, const Dim& dim) {
    return element.variable < 0 ? same(dim, element.number) : bind(element.variable, dim);
  }

  static constexpr size_t most_dims = 16, most_runs = 8;
  std::array<std::optional<Dim>, most_dims> dims_;
  std::array<std::optional<DimView>, most_runs> runs_;
};

}  // namespace mithril
