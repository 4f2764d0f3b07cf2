// Tables and numbers as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mithril::cli {

using TableRow = std::vector<std::string>;

enum class TableFormat { text, markdown, csv };

// The first row is the header. In text, columns of numbers are aligned to the right, and control
// characters, such as those in the keys of a file, are escaped.
std::string table_text(const std::vector<TableRow>& rows, TableFormat format = TableFormat::text);

// "1,234,567".
std::string grouped(std::int64_t number);
// "1.23 Gop/s": three digits, the SI prefix and the unit.
std::string scaled(double number, const std::string& unit);
// "3 parts", "1 part".
std::string counted(std::int64_t number, const std::string& noun);

}  // namespace mithril::cli
