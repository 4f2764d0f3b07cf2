#include "mithril/compile/spelling_warnings.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "mithril/base/text.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

constexpr size_t shortest_word = 4;  // in shorter words one letter makes another name

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The words of a name in lower case, split at underscores and between letters and digits.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : name) {
    const bool goes_on = open && is_digit(words.back().back()) == is_digit(c);
    open = c != '_';
    if (!open) continue;
    if (!goes_on) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

// One letter inserted, dropped or replaced, or two neighbours swapped.
bool differ_by_one(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() <= 1 && b.size() <= 1) return true;
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

// The path of a port, "model.wte.weight": the names of parts made it, and nobody spelt it.
bool is_path(std::string_view name) { return name.find('.') != name.npos; }

std::unordered_set<const Wire*> mentioned(Composite& model, const CompileOptions& options) {
  std::unordered_set<const Wire*> wires;
  for (const StatedFact& fact : model.statements) {
    if (fact.wire) wires.insert(top(fact.wire));
  }
  const auto add = [&](const KeyRef& key) { wires.insert(top(key.wire(model))); };
  for (const auto& [key, shape] : options.shapes) add(key);
  for (const auto& [key, type] : options.types) add(key);
  for (const auto& [key, value] : options.constant_keys) add(key);
  for (const KeyRef& key : options.data_keys) add(key);
  for (const KeyRef& key : options.trainable_keys) add(key);
  return wires;
}

}  // namespace

bool looks_like(std::string_view a, std::string_view b) {
  const std::vector<std::string> left = words_of(a), right = words_of(b);
  if (join(left, "") == join(right, "")) return true;
  if (left.size() != right.size()) return false;
  const auto [one, other] = std::mismatch(left.begin(), left.end(), right.begin());
  if (!std::equal(one + 1, left.end(), other + 1)) return false;
  return std::min(one->size(), other->size()) >= shortest_word && !is_digit(one->front()) &&
         !is_digit(other->front()) && differ_by_one(*one, *other);
}

std::vector<std::string> spelling_warnings(Composite& model, const CompileOptions& options) {
  std::vector<std::string> warnings;
  const std::unordered_set<const Wire*> known = mentioned(model, options);
  std::unordered_set<const Wire*> inputs;
  for (const NamedPort& port : input_ports(model)) inputs.insert(port.wire);
  for (size_t i = 0; i < model.keys.size(); ++i) {
    const Wire* wire = top(model.keys[i].wire);
    if (!inputs.contains(wire) || known.contains(wire)) continue;
    const std::string_view name = *model.keys[i].name;
    if (is_path(name)) continue;
    for (size_t j = 0; j < model.keys.size(); ++j) {
      const Wire* other = top(model.keys[j].wire);
      const bool first = j < i || !inputs.contains(other);  // of two inputs the later one is new
      if (!first || other == wire || !looks_like(name, *model.keys[j].name)) continue;
      warnings.push_back("mithril.Warning[W0601]: no part computes the input " + in_quotes(name) +
                         ", and it looks like " + in_quotes(*model.keys[j].name) +
                         "\n  help: correct the name; if it is an input, say so in data_keys, "
                         "trainable_keys or shapes");
      break;
    }
  }
  return warnings;
}

}  // namespace mithril
