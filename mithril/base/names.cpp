// The distance between names, and the errors about names.
#include "mithril/base/names.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/text.hpp"

namespace mithril {

namespace {

constexpr std::size_t most_names_listed = 20;
constexpr std::size_t longest_compared = 200;  // the time grows with the square of the length

bool ends_path(std::string_view path, std::string_view name) {
  return path.size() > name.size() && path.ends_with(name) &&
         path[path.size() - name.size() - 1] == '.';
}

// With `separator` after it.
bool begins(std::string_view other, std::string_view name, char separator) {
  return !name.empty() && other.size() > name.size() && other.starts_with(name) &&
         other[name.size()] == separator;
}

// A third of the letters may differ; names of one or two letters match only up to case.
std::size_t tolerance(std::string_view name) {
  return std::max<std::size_t>(name.size() / 3, name.size() > 2);
}

std::string listing(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  const std::size_t listed = std::min(names.size(), most_names_listed);
  std::string text = join(std::vector<std::string>(names.begin(), names.begin() + listed), ", ");
  if (listed < names.size()) text += " and " + std::to_string(names.size() - listed) + " more";
  return text;
}

}  // namespace

void check_name(std::string_view name) {
  if (name.find('\0') == name.npos) return;
  raise({.kind = ErrorKind::name,
         .code = "E0622",
         .message = "a name holds a NUL: '" + std::string(name) + "'",
         .help = "give it a name without the character \\x00"});
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * columns + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t at_most) {
  if (name.size() > longest_compared) return {};
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_compared) continue;
    const std::string other = lower_case(candidate);
    const std::size_t most = tolerance(wanted);
    const bool is_part = ends_path(other, wanted) || begins(other, wanted, '.');
    const std::size_t distance = is_part && !wanted.empty()   ? 0
                                 : begins(other, wanted, '_') ? std::min<std::size_t>(most, 1)
                                                              : edit_distance(wanted, other);
    if (distance <= most) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > at_most) near.resize(at_most);
  std::vector<std::string> result;
  for (auto& [distance, candidate] : near) result.push_back(std::move(candidate));
  return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::string> near = nearest(name, candidates);
  if (near.empty()) return "";
  for (std::string& candidate : near) candidate = in_quotes(candidate);
  const std::string last = near.back();
  near.pop_back();
  return "did you mean " + (near.empty() ? "" : join(near, ", ") + " or ") + last + "?";
}

namespace {

[[noreturn]] void raise_unknown(ErrorKind kind, std::string_view code, const std::string& lacking,
                                std::string_view name, std::string_view path,
                                const std::vector<std::string>& candidates) {
  raise({.kind = kind,
         .code = std::string(code),
         .path = std::string(path),
         .message = lacking + " " + in_quotes(name),
         .facts = {{"known", listing(candidates)}},
         .help = did_you_mean(name, candidates)});
}

}  // namespace

void unknown_name(ErrorKind kind, std::string_view code, std::string_view what,
                  std::string_view name, std::string_view path,
                  const std::vector<std::string>& candidates) {
  raise_unknown(kind, code, "there is no " + std::string(what), name, path, candidates);
}

void unknown_member(ErrorKind kind, std::string_view code, std::string_view owner,
                    std::string_view what, std::string_view name, std::string_view path,
                    const std::vector<std::string>& candidates) {
  const std::string lacking = std::string(owner) + " has no " + std::string(what);
  raise_unknown(kind, code, lacking, name, path, candidates);
}

}  // namespace mithril
