// A sample of the rows of an op.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/table/case.hpp"

namespace mithril::tests {

inline bool has_tensor(const OpCase& row) {
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      if (std::holds_alternative<TensorSpec>(item)) return true;
    }
  }
  return false;
}

// The kind of a row: what it tests that other rows of its op may not.
inline std::string kind_of_row(const OpCase& row) {
  if (!row.error.empty()) return "refused: " + row.name;
  std::set<std::string_view> dtypes;
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      if (const auto* spec = std::get_if<TensorSpec>(&item)) dtypes.insert(name(spec->dtype));
    }
  }
  std::string kind;
  for (const std::string_view dtype : dtypes) kind.append(dtype).append(" ");
  return kind;
}

// `most` rows, evenly spaced, and besides them each refusal and the first row of each combination
// of dtypes: refusals take no time, and a dtype often has one row.
inline std::vector<OpCase> sample_rows(const std::vector<OpCase>& rows, std::size_t most) {
  const std::size_t count = rows.size();
  std::set<std::size_t> chosen;
  std::set<std::string> kinds;
  const auto choose = [&](std::size_t row) {
    chosen.insert(row);
    kinds.insert(kind_of_row(rows[row]));
  };
  for (std::size_t i = 0; i < most; ++i) choose(i * count / most);
  for (std::size_t i = 0; i < count; ++i) {
    if (!kinds.contains(kind_of_row(rows[i]))) choose(i);
  }
  std::vector<OpCase> sample;
  for (const std::size_t row : chosen) sample.push_back(rows[row]);
  return sample;
}

}  // namespace mithril::tests
