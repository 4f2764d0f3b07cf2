#include "mithril/op/patterns.hpp"
#include "mithril/op/op_def.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>

#include "mithril/base/error.hpp"
#include "mithril/op/faulty_record.hpp"

namespace mithril {
namespace {

struct NamedKinds {
  std::string_view name;
  Kinds kinds;
};
constexpr NamedKinds tensor_kinds[] = {
    {"bool", kind::bool_tensor},
    {"int", kind::int_tensor},
    {"float", kind::float_tensor},
    {"none", kind::none},
    {"any", kind::tensor},
    {"number", kind::int_tensor | kind::float_tensor},
    {"operand", kind::tensor | kind::number},
};
constexpr NamedKinds value_kinds_table[] = {
    {"bool", kind::bool_value},   {"int", kind::int_value}, {"float", kind::float_value},
    {"str", kind::string},        {"none", kind::none},     {"tuple", kind::tuple},
    {"dtype", kind::dtype},       {"slice", kind::slice},   {"any", kind::value},
    {"ellipsis", kind::ellipsis},
};

std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> result;
  size_t begin = 0;
  while ((begin = text.find_first_not_of(separators, begin)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    result.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

// Words name kinds of tensors, after the word "value" kinds of values. `op`: whose record has it.
Kinds read_kinds(const std::string& text, const OpDef* op) {
  std::span<const NamedKinds> table = tensor_kinds;
  Kinds all = 0;
  for (const std::string& word : words(text, "| ")) {
    if (word == "value") {
      table = value_kinds_table;
      continue;
    }
    const auto at = std::find_if(table.begin(), table.end(),
                                 [&](const NamedKinds& k) { return k.name == word; });
    if (at == table.end() && op)
      faulty_record(*op, "no kind is called '" + word + "' in '" + text + "'");
    MITHRIL_CHECK(at != table.end(), "no kind is called '" + word + "'");
    all = static_cast<Kinds>(all | at->kinds);
  }
  return all;
}

class Compiler {
 public:
  explicit Compiler(OpDef& op) : op_(op) {}

  void run() {
    CompiledPorts& compiled = op_.compiled = {};
    for (size_t i = 0; i < op_.port_count(); ++i) compiled.ports.push_back(port(op_.port(i)));
    for (const std::string& rule : op_.shape_constraints)
      compiled.broadcasts.push_back(broadcast(rule));
    if (compiled.dims.size() > 32) faulty_record(op_, "its patterns name more than 32 dims");
    if (compiled.runs.size() > 8) faulty_record(op_, "its patterns name more than 8 runs");
    if (compiled.types.size() > 8) faulty_record(op_, "its types name more than 8 variables");
  }

 private:
  static int16_t intern(std::vector<std::string>& names, const std::string& name) {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) at = names.insert(names.end(), name);
    return static_cast<int16_t>(at - names.begin());
  }

  // "T" or "T=int|float".
  int type_variable(const std::string& text) {
    CompiledPorts& compiled = op_.compiled;
    const size_t equals = text.find('=');
    const int variable = intern(compiled.types, text.substr(0, equals));
    if (compiled.type_kinds.size() < compiled.types.size())
      compiled.type_kinds.push_back(kind::any);
    if (equals != std::string::npos)
      compiled.type_kinds[variable] &= read_kinds(text.substr(equals + 1), &op_);
    return variable;
  }

  int64_t number(const std::string& word) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      faulty_record(op_, "'" + word + "' is not a dim of a pattern");
    return value;
  }

  CompiledPorts::Port port(const PortDef& def) {
    CompiledPorts::Port port;
    int runs = 0;
    for (const std::string& word : words(def.shape, " ")) {
      if (word[0] == '*') {
        port.elements.push_back({intern(op_.compiled.runs, word), true, 0});
        if (++runs > 1) faulty_record(op_, "two runs in the pattern '" + def.shape + "'");
      } else if (std::isdigit(static_cast<unsigned char>(word[0]))) {
        port.elements.push_back({-1, false, number(word)});
      } else {
        port.elements.push_back({intern(op_.compiled.dims, word), false, 0});
      }
    }
    type(def.type, port);
    return port;
  }

  void type(const std::string& text, CompiledPorts::Port& port) {
    if (text.rfind("value ", 0) == 0) {
      port.kinds = read_kinds(text, &op_);
      port.value = true;
    } else if (text.rfind("promote(", 0) == 0) {
      const auto operands = words(text.substr(8), "(), ");
      if (operands.size() != 2) faulty_record(op_, "promote takes two types: '" + text + "'");
      port.left = type_variable(operands[0]);
      port.right = type_variable(operands[1]);
    } else if (!text.empty() && std::isupper(static_cast<unsigned char>(text[0]))) {
      port.type = type_variable(text);
    } else if (text.empty()) {
      faulty_record(op_, "a port has no type");
    } else {
      port.kinds = read_kinds(text, &op_);
    }
  }

  // "*o = broadcast(*a, *b)"
  std::array<int, 3> broadcast(const std::string& rule) {
    const auto parts = words(rule, " =(),");
    if (parts.size() != 4 || parts[1] != "broadcast")
      faulty_record(op_, "cannot read the rule '" + rule + "'");
    auto run = [&](const std::string& name) {
      return static_cast<int>(intern(op_.compiled.runs, name));
    };
    return {run(parts[2]), run(parts[3]), run(parts[0])};
  }

  OpDef& op_;
};

}  // namespace

Kinds value_kinds(const std::string& text) { return read_kinds("value " + text, nullptr); }

void compile_patterns(OpDef& op) { Compiler(op).run(); }

}  // namespace mithril
