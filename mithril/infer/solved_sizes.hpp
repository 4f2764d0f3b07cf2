// Dims of one graph in the symbols of another one, such as those of a loop's body in the symbols
// of the graph around it.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "mithril/infer/dim.hpp"

namespace mithril {

// Solves equations "inner == outer" for the symbols of the inner dims. Example: from 3*N == 3*M
// follow N == M and 6*N + 1 == 6*M + 1.
class SolvedSizes {
 public:
  void add(const Dim& inner, const Dim& outer);
  // The dim in symbols of the outer dims. `unknown` is called for a symbol that does not follow.
  Dim operator()(const Dim& inner, const std::function<Dim(Symbol*)>& unknown);

 private:
  bool solve(const Dim& inner, const Dim& outer);
  bool follows(Symbol* symbol) const;
  std::optional<Dim> multiple(const Dim& resolved) const;

  Renaming memo_;
  std::vector<std::pair<Dim, Dim>> waiting_;  // with several symbols that are not known
};

}  // namespace mithril
