#include "tests/json/check_round_trip.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cctype>
#include <map>

#include "mithril/json/model_json.hpp"
#include "mithril/model/flatten.hpp"

namespace mithril::tests {
namespace {

// Unnamed symbols, "_27", are numbered in the order of facts; this numbers them in the order of the
// text.
std::string renumbered(const std::string& text) {
  std::map<std::string, size_t> numbers;
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    const bool inside = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0);
    if (text[i] != '_' || inside) continue;
    size_t end = i + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == i + 1) continue;
    result +=
        std::to_string(numbers.emplace(text.substr(i, end - i), numbers.size()).first->second);
    i = end - 1;
  }
  return result;
}

std::string initial_text(const InitialState& initial) {
  if (const auto* key = std::get_if<RandomKey>(&initial))
    return "random key " + std::to_string(key->seed);
  return to_string(std::get<Tensor>(initial));
}

std::string graph_text(const Model& model) {
  try {
    const FlatModel flat = flatten(model, DType::float64);
    std::string text = to_string(flat.graph);
    for (const FlatState& state : flat.states)
      text +=
          fmt::format("state {} {} {}\n", state.input, state.output, initial_text(state.initial));
    return renumbered(text);
  } catch (const Error& error) {
    return renumbered(error.what());
  }
}

std::string table(const Model& model) {
  std::string text;  // without the padding, which follows the widths of names
  for (const char c : renumbered(model.summary(true, true, 3))) {
    if (c != '-' && !(c == ' ' && text.ends_with(' '))) text += c;
  }
  return text;
}

}  // namespace

void check_round_trip(const Model& model) {
  const std::string text = to_json(model);
  INFO(text);
  const Model read = from_json(text);
  CHECK(to_json(read) == text);
  CHECK(read == model);
  CHECK(read.class_name() == model.class_name());
  CHECK(read.input_keys() == model.input_keys());
  CHECK(read.output_keys() == model.output_keys());
  CHECK(read.call_order() == model.call_order());
  CHECK(table(read) == table(model));
  CHECK(graph_text(read) == graph_text(model));
}

}  // namespace mithril::tests
