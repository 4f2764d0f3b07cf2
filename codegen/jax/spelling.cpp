#include "codegen/jax/spelling.hpp"

#include "mithril/base/error.hpp"

namespace mithril::codegen {
namespace {

std::string filled(std::string_view text, const JaxSpellingNode& node) {
  std::string result;
  while (true) {
    const size_t open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    const size_t close = text.find('}', open);
    MITHRIL_CHECK(close != std::string_view::npos, "a '{' without '}' in the JAX spelling");
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const size_t dot = inside.find('.');
    const std::string_view member =
        dot == std::string_view::npos ? std::string_view() : inside.substr(dot + 1);
    result += node.hole({inside.substr(0, dot), member, text.substr(close + 1)});
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string spelled_for_jax(std::string_view text, const JaxSpellingNode& node) {
  constexpr std::string_view asks = " ? ", otherwise = " : ", no_value = " == None";
  const size_t question = text.find(asks);
  if (question == std::string_view::npos) return filled(text, node);
  const size_t colon = text.find(otherwise, question);
  MITHRIL_CHECK(colon != std::string_view::npos, "a ' ? ' without ' : ' in the JAX spelling");
  std::string_view condition = text.substr(0, question);
  const bool asks_none = condition.ends_with(no_value);
  if (asks_none) condition.remove_suffix(no_value.size());
  const bool holds = asks_none ? node.is_none(condition) : node.is_true(condition);
  const size_t then = question + asks.size();
  return holds ? filled(text.substr(then, colon - then), node)
               : spelled_for_jax(text.substr(colon + otherwise.size()), node);
}

}  // namespace mithril::codegen
