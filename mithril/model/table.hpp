// Text tables.
#pragma once
#include <string>
#include <vector>

#include "mithril/op/part.hpp"

namespace mithril {

struct Composite;
using Row = std::vector<std::string>;

// The rows under the first, a line below it; columns as wide as their widest cell.
std::string table(const std::vector<Row>& rows);
// The known shape or value: "[N, 64]", "3", "?".
std::string wire_text(Wire* wire);
// The rows of the summary, the header first.
std::vector<Row> summary_rows(const Composite& model, bool shapes, bool types, int depth);
// As Model::summary, for a model that may be a part.
std::string summary_of(const Composite& model, bool shapes, bool types, int depth);

}  // namespace mithril
