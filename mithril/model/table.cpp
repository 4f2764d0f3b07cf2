#include "mithril/model/table.hpp"

#include <algorithm>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"

namespace mithril {

std::string table(const std::vector<Row>& given) {
  std::vector<Row> rows = given;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows[r].size(); ++i)
      line += rows[r][i] + std::string(widths[i] - text_width(rows[r][i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r == 0) {
      size_t total = 0;
      for (const size_t width : widths) total += width + 2;
      text += std::string(total - 2, '-') + "\n";
    }
  }
  return text;
}

std::string WireTexts::text(Wire* wire) {
  if (find(wire->type)->kinds & kind::tensor)
    return to_string(names_.copy(Facts::resolve(wire->shape)));
  const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
  return value && value->known ? to_string(value->datum) : "?";
}

}  // namespace mithril
