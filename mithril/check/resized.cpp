#include "mithril/check/resized.hpp"

#include <map>

#include "mithril/check/generate.hpp"

namespace mithril::check {
namespace {

constexpr std::int64_t smallest = 2, largest = 7;

bool depends_on_sizes(const TensorSpec& spec) {
  return spec.fill == TensorSpec::Fill::integers || spec.fill == TensorSpec::Fill::values;
}

// Replaces each size above 1 by other(size). Nullopt if elements depend on sizes, or nothing
// changes.
template <typename Other>
std::optional<OpCase> with_other_sizes(const OpCase& row, Other other) {
  OpCase result = row;
  result.expect.clear();
  bool changed = false;
  for (auto& [port, content] : result.inputs) {
    for (Item& item : content.items) {
      TensorSpec* spec = std::get_if<TensorSpec>(&item);
      if (!spec) continue;
      if (depends_on_sizes(*spec)) return std::nullopt;
      for (std::int64_t& size : spec->dims) {
        const std::int64_t before = size;
        if (size > 1) size = other(size);
        changed = changed || size != before;
      }
    }
  }
  if (!changed) return std::nullopt;
  return result;
}

}  // namespace

std::optional<OpCase> resized(const OpCase& row, std::uint64_t seed) {
  Random random(seed);
  std::map<std::int64_t, std::int64_t> others;
  return with_other_sizes(row, [&](std::int64_t size) {
    const auto [at, first] = others.try_emplace(size, 0);
    if (first) at->second = std::uniform_int_distribution<std::int64_t>(smallest, largest)(random);
    return at->second;
  });
}

std::optional<OpCase> with_sizes(const OpCase& row, std::int64_t size) {
  return with_other_sizes(row, [size](std::int64_t) { return size; });
}

std::string sizes_text(const OpCase& row) {
  std::string text;
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      const TensorSpec* spec = std::get_if<TensorSpec>(&item);
      if (spec) text += (text.empty() ? "" : " ") + to_string(spec->dims);
    }
  }
  return text;
}

}  // namespace mithril::check
