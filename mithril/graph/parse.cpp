// Reads the text form of a graph, one statement after another. docs/graph-text.md has the grammar.
#include <map>
#include <optional>

#include "mithril/graph/graph.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/parse_values.hpp"
#include "mithril/graph/text_syntax.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : lexer_(text), values_(lexer_, *graph_.facts()) {}

  Graph run() {
    lexer_.expect("graph");
    lexer_.expect("{");
    while (!lexer_.skip("}")) statement();
    if (lexer_.current().kind != Token::Kind::end) {
      lexer_.fail("E0701", lexer_.current(), "the end of the text");
    }
    return std::move(graph_);
  }

 private:
  void statement() {
    Lexer ahead = lexer_;
    ahead.take();
    const bool node = ahead.at(":") || lexer_.current().kind == Token::Kind::quoted;
    if (node) return this->node();
    if (lexer_.skip("input")) {
      const Token token = lexer_.current();
      return define(token, graph_.add_input(declaration()));
    }
    if (lexer_.skip("constant")) return constant();
    if (lexer_.skip("output")) return output();
    if (lexer_.skip("size")) return values_.declaration(true);
    if (lexer_.skip("integer")) return values_.declaration(false);
    if (lexer_.skip("default")) return graph_.set_default_dtype(values_.dtype());
    lexer_.fail("E0701", lexer_.current(),
                "'input', 'constant', 'output', 'size', 'integer', 'default', '}' or the name of a "
                "value with ':' after it");
  }

  // "name: float32[N, 3]"
  Value declaration() {
    Value value{.name = values_.name()};
    lexer_.expect(":");
    value.dtype = values_.dtype();
    lexer_.expect("[");
    value.ranked = !lexer_.skip("...");
    while (value.ranked && !lexer_.at("]")) {
      value.dims.push_back(values_.dim());
      if (!lexer_.skip(",")) break;
    }
    lexer_.expect("]");
    return value;
  }

  void define(const Token& token, ValueId id) {
    if (!ids_.emplace(graph_.value(id).name, id).second) {
      lexer_.fail("E0703", token, "a name that no value has yet");
    }
  }

  ValueId known_value() {
    const Token token = lexer_.current();
    const std::string name = values_.name();
    if (const auto at = ids_.find(name); at != ids_.end()) return at->second;
    std::vector<std::string> names;
    for (const auto& [other, id] : ids_) names.push_back(other);
    lexer_.fail_unknown(token, "a value", name, names);
  }

  void constant() {
    const Token token = lexer_.current();
    const Value value = declaration();
    Dims dims;
    for (const Dim& dim : value.dims) {
      const bool number = dim.is_constant() && dim.constant() >= 0;
      if (!number) lexer_.fail("E0701", token, "a constant with numbers as its dims");
      dims.push_back(dim.constant());
    }
    if (!value.ranked) lexer_.fail("E0701", token, "a constant with numbers as its dims");
    lexer_.expect("=");
    define(token, graph_.add_constant(value.name, values_.tensor(value.dtype, dims)));
  }

  void output() {
    std::string name = values_.name();
    lexer_.expect("=");
    graph_.add_output(std::move(name), known_value());
  }

  void node() {
    const Token first = lexer_.current();
    std::vector<std::pair<Token, Value>> outputs;
    do {
      const Token token = lexer_.current();
      outputs.emplace_back(token, declaration());
    } while (lexer_.skip(","));
    lexer_.expect("=");
    const OpDef& op = this->op();
    Node node{&op, arguments(op), {}};
    const size_t least = op.list_output() < 0 ? op.outputs.size() : op.outputs.size() - 1;
    if (outputs.size() < least || (op.list_output() < 0 && outputs.size() > least)) {
      lexer_.fail("E0704", first,
                  std::to_string(least) + " outputs of op '" + op.name + "', not " +
                      std::to_string(outputs.size()));
    }
    for (auto& [token, value] : outputs) {
      node.outputs.push_back(graph_.add_value(std::move(value)));
      define(token, node.outputs.back());
    }
    keep_nested_graphs(node);
    graph_.add_node(std::move(node));
  }

  const OpDef& op() {
    const Token token = lexer_.take();
    if (const OpDef* op = try_find_op(token.text)) return *op;
    std::vector<std::string> names;
    for (const OpDef* op : all_ops()) names.push_back(op->name);
    lexer_.fail_unknown(token, "an op", token.text, names);
  }

  // "(input: x, bias: None, inputs: [a, b])": in any order; an omitted port has its default.
  std::vector<Argument> arguments(const OpDef& op) {
    std::vector<std::optional<std::vector<Argument>>> by_port(op.inputs.size());
    lexer_.expect("(");
    while (!lexer_.at(")")) {
      const Token token = lexer_.current();
      const size_t port = port_of(op, lexer_.take());
      lexer_.expect(":");
      if (by_port[port]) lexer_.fail("E0703", token, "each port once");
      by_port[port] = op.inputs[port].list ? list() : std::vector<Argument>{argument()};
      if (!lexer_.skip(",")) break;
    }
    std::vector<Argument> arguments;
    for (size_t port = 0; port < by_port.size(); ++port) {
      if (!by_port[port] && !op.inputs[port].fallback) {
        lexer_.fail("E0701", lexer_.current(),
                    "port '" + op.inputs[port].name + "', which has no default");
      }
      if (!by_port[port]) by_port[port] = {*op.inputs[port].fallback};
      for (Argument& argument : *by_port[port]) arguments.push_back(std::move(argument));
    }
    lexer_.expect(")");
    return arguments;
  }

  size_t port_of(const OpDef& op, const Token& token) {
    std::vector<std::string> names;
    for (const PortDef& port : op.inputs) {
      if (port.name == token.text) return names.size();
      names.push_back(port.name);
    }
    lexer_.fail_unknown(token, "an input port of op '" + op.name + "'", token.text, names);
  }

  std::vector<Argument> list() {
    std::vector<Argument> items;
    lexer_.expect("[");
    while (!lexer_.at("]")) {
      items.push_back(argument());
      if (!lexer_.skip(",")) break;
    }
    lexer_.expect("]");
    return items;
  }

  // A name is a symbol if a dim has named it before, otherwise a value.
  Argument argument() {
    const Token& token = lexer_.current();
    if (token.kind == Token::Kind::quoted) return known_value();
    const bool name = token.kind == Token::Kind::name && is_plain_name(token.text);
    if (name && !values_.is_symbol(token.text)) return known_value();
    return values_.datum();
  }

  Graph graph_;
  Lexer lexer_;
  ValueParser values_;
  std::map<std::string, ValueId, std::less<>> ids_;
};

}  // namespace

Graph parse_graph(std::string_view text) { return GraphParser(text).run(); }

}  // namespace mithril
