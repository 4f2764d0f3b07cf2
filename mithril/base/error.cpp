// The rendering of errors, and the throw of the class that belongs to a kind.
#include "mithril/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"

namespace mithril {

namespace {

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t present = text_width(text);
  return text + std::string(width > present ? width - present : 0, ' ');
}

// The graph of a failed pass is a listing of several lines. Its names are already escaped.
bool is_listing(const Fact& fact) { return fact.label == "graph" && fact.text.starts_with('\n'); }

std::string facts_rendering(const ErrorDetails& details) {
  std::size_t label_width = 0;
  std::size_t text_columns = 0;
  std::vector<Fact> facts;
  for (const Fact& fact : shown_facts(details)) {
    facts.push_back({printable(fact.label), is_listing(fact) ? fact.text : printable(fact.text),
                     printable(fact.origin)});
  }
  for (const Fact& fact : facts) {
    label_width = std::max(label_width, text_width(fact.label));
    if (!fact.origin.empty()) text_columns = std::max(text_columns, text_width(fact.text));
  }
  std::string lines;
  for (const Fact& fact : facts) {
    lines += fmt::format("\n  {} : ", padded(fact.label, label_width));
    lines +=
        fact.origin.empty() ? fact.text : padded(fact.text, text_columns) + "   " + fact.origin;
  }
  if (!details.marker.empty()) {
    const std::size_t indent = facts.empty() ? 2 : 2 + label_width + 3;
    lines += "\n" + std::string(indent, ' ') + printable(details.marker);
  }
  return lines;
}

ErrorDetails with_numbered_unknowns(ErrorDetails details) {
  UnknownNumbers unknowns;
  details.message = unknowns.renumber(details.message);
  for (Fact& fact : details.facts) fact.text = unknowns.renumber(fact.text);
  details.help = unknowns.renumber(details.help);
  return details;
}

std::string rendering(const ErrorDetails& details) {
  std::string text = fmt::format("mithril.{}[{}]: ", class_name(details.kind), details.code);
  if (!details.path.empty()) text += printable(details.path) + ": ";
  text += printable(details.message) + facts_rendering(details);
  if (!details.help.empty()) text += "\n  help: " + printable(details.help);
  return text;
}

}  // namespace

std::string_view class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::connection:
      return "ConnectionError";
    case ErrorKind::name:
      return "NameError";
    case ErrorKind::shape:
      return "ShapeError";
    case ErrorKind::type:
      return "TypeError";
    case ErrorKind::value:
      return "ValueError";
    case ErrorKind::gradient:
      return "GradientError";
    case ErrorKind::parse:
      return "ParseError";
    case ErrorKind::input:
      return "InputError";
    case ErrorKind::state:
      return "StateError";
    case ErrorKind::backend:
      return "BackendError";
    case ErrorKind::out_of_memory:
      return "OutOfMemoryError";
    case ErrorKind::distributed:
      return "DistributedError";
  }
  MITHRIL_CHECK(false, "an error kind outside the enumeration");
  std::abort();
}

std::vector<Fact> shown_facts(const ErrorDetails& details) {
  std::vector<Fact> facts = details.facts;
  if (details.wrote_inputs) facts.push_back({"donated", "some inputs have been written to"});
  return facts;
}

std::string point_at(std::size_t column, std::size_t width, std::string_view expected) {
  return std::string(column, ' ') + std::string(width, '^') + " " + std::string(expected);
}

Error::Error(ErrorDetails details)
    : unnumbered_(std::move(details)),
      details_(with_numbered_unknowns(unnumbered_)),
      text_(rendering(details_)) {}

const char* Error::what() const noexcept { return text_.c_str(); }

void raise(ErrorDetails details) {
  switch (details.kind) {
    case ErrorKind::connection:
      throw ConnectionError(std::move(details));
    case ErrorKind::name:
      throw NameError(std::move(details));
    case ErrorKind::shape:
      throw ShapeError(std::move(details));
    case ErrorKind::type:
      throw TypeError(std::move(details));
    case ErrorKind::value:
      throw ValueError(std::move(details));
    case ErrorKind::gradient:
      throw GradientError(std::move(details));
    case ErrorKind::parse:
      throw ParseError(std::move(details));
    case ErrorKind::input:
      throw InputError(std::move(details));
    case ErrorKind::state:
      throw StateError(std::move(details));
    case ErrorKind::backend:
      throw BackendError(std::move(details));
    case ErrorKind::out_of_memory:
      throw OutOfMemoryError(std::move(details));
    case ErrorKind::distributed:
      throw DistributedError(std::move(details));
  }
  MITHRIL_CHECK(false, "an error kind outside the enumeration");
  std::abort();
}

void check_failed(const char* condition, std::string_view message, const char* file, int line) {
  throw InternalError(
      fmt::format("mithril: internal error at {}:{}: {} ({} is false). This is a bug "
                  "in Mithril, not in your program; please report it",
                  file, line, message, condition));
}

}  // namespace mithril
