// Text tables.
#pragma once
#include <string>
#include <vector>

#include "mithril/infer/distinct_names.hpp"
#include "mithril/op/part.hpp"

namespace mithril {

struct Composite;
using Row = std::vector<std::string>;

// The rows under the first, a line below it; columns as wide as their widest cell.
std::string table(const std::vector<Row>& rows);
// Texts of wires in one table: distinct sizes have distinct names.
class WireTexts {
 public:
  // The known shape or value: "[N, 64]", "3", "?".
  std::string text(Wire* wire);

 private:
  Facts facts_;
  DistinctNames names_{facts_};
};
// The rows of the summary, the header first.
std::vector<Row> summary_rows(const Composite& model, bool shapes, bool types, int depth,
                              WireTexts& texts);
// Model::summary for a model that may be a part.
std::string summary_of(const Composite& model, bool shapes, bool types, int depth);

}  // namespace mithril
