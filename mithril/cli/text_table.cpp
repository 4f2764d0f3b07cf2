#include "mithril/cli/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"

namespace mithril::cli {
namespace {

bool is_number(const std::string& text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  return text == "-" || text == "?" ||
         (text.size() > first && std::isdigit(static_cast<unsigned char>(text[first])));
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string made = "\"";
  for (const char letter : text) made += letter == '"' ? "\"\"" : std::string(1, letter);
  return made + "\"";
}

std::string markdown_cell(const std::string& text) {
  std::string made;
  for (const char letter : text) made += letter == '|' ? "\\|" : std::string(1, letter);
  return made;
}

std::string aligned(std::vector<TableRow> rows) {
  for (TableRow& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> to_right(columns, rows.size() > 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], text_width(rows[i][c]));
      if (i > 0 && !rows[i][c].empty() && !is_number(rows[i][c])) to_right[c] = false;
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string space(widths[c] - text_width(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (to_right[c] ? space + row[c] : row[c] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string table_text(const std::vector<TableRow>& rows, TableFormat format) {
  if (rows.empty()) return "";
  if (format == TableFormat::text) return aligned(rows);
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TableRow cells;
    for (const std::string& cell : rows[i]) {
      cells.push_back(format == TableFormat::csv ? csv_cell(cell) : markdown_cell(cell));
    }
    if (format == TableFormat::csv) {
      text += join(cells, ",") + "\n";
      continue;
    }
    text += "| " + join(cells, " | ") + " |\n";
    if (i == 0) text += "|" + join(std::vector<std::string>(cells.size(), " --- "), "|") + "|\n";
  }
  return text;
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string scaled(double number, const std::string& unit) {
  const char* const prefixes[] = {"", "k", "M", "G", "T"};
  std::size_t i = 0;
  while (number >= 999.5 && i + 1 < std::size(prefixes)) {
    number /= 1000;
    ++i;
  }
  const int digits = i == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", number, digits, prefixes[i], unit);
}

std::string counted(std::int64_t number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace mithril::cli
