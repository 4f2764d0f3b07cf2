#include "tests/table/resized.hpp"

#include <map>

#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

constexpr std::int64_t smallest = 2, largest = 7;

bool depends_on_sizes(const TensorSpec& spec) {
  return spec.fill == TensorSpec::Fill::integers || spec.fill == TensorSpec::Fill::values;
}

class Resizing {
 public:
  explicit Resizing(std::uint64_t seed) : random_(seed) {}

  bool apply(OpCase& row) {
    row.expect.clear();
    for (auto& [port, content] : row.inputs) {
      for (Item& item : content.items) {
        TensorSpec* spec = std::get_if<TensorSpec>(&item);
        if (!spec) continue;
        if (depends_on_sizes(*spec)) return false;
        for (std::int64_t& size : spec->dims) size = other(size);
      }
    }
    return changed_;
  }

 private:
  std::int64_t other(std::int64_t size) {
    if (size <= 1) return size;
    const auto [at, first] = others_.try_emplace(size, 0);
    if (first) at->second = std::uniform_int_distribution<std::int64_t>(smallest, largest)(random_);
    changed_ = changed_ || at->second != size;
    return at->second;
  }

  Random random_;
  std::map<std::int64_t, std::int64_t> others_;
  bool changed_ = false;
};

}  // namespace

std::optional<OpCase> resized(const OpCase& row, std::uint64_t seed) {
  OpCase other = row;
  if (!Resizing(seed).apply(other)) return std::nullopt;
  return other;
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

}  // namespace mithril::tests
