// Writes the statements of a program, in the order of the program. A language configures it by a
// StatementSyntax, and overrides how it declares tensors, views and loops.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/common/language.hpp"
#include "codegen/common/program.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {

// The spelling of statements in a language.
struct StatementSyntax {
  size_t indent;                          // columns before a statement
  size_t loop_indent;                     // columns before a loop
  std::string_view list_begin, list_end;  // around an argument that is a list of tensors: "[", "]"
  std::string_view terminator;            // after a statement: ";"
  // A loop over the elements of an axis, with {0} for the variable, {1} for the size and {2} for
  // the number of elements of the axes within it, and the line after its body. Empty: formulas
  // compute whole tensors, without loops. Without a line after it, the body is not indented.
  std::string_view loop_head, loop_end;
  std::string (*argument)(const Datum& value, const PortDef& port);  // of a kernel: "axis=1"
  // The same as loop_head, from the last one to the first one. Only blocks have it.
  std::string_view reverse_head = "";
};

class StatementWriter {
 public:
  StatementWriter(const SourceProgram& program, const Language& language,
                  const StatementSyntax& syntax)
      : program_(program), language_(language), syntax_(syntax) {}
  virtual ~StatementWriter() = default;

 protected:
  // A loop over elements: the tensors that it reads and writes, in the order of their first use,
  // and the lines of its body.
  struct Loop {
    std::vector<ValueId> operands = {};
    ValueId result;  // that the last formula makes
    std::string body = {};
  };

  // Writes each statement, and then the copies of outputs that are made in other buffers.
  void write_statements();

  // The variable of a tensor, which an earlier statement or `declare` has made.
  virtual std::string tensor(ValueId id) = 0;
  // Called before the statement that makes the tensor.
  virtual void declare(ValueId) {}
  // Called before each statement.
  virtual void begin_statement() {}
  virtual void write_view(size_t node) = 0;
  // Declare the outputs of a node with nested statements, and write it: other writers of the same
  // class write the bodies. Called only if the language has blocks.
  virtual void write_steps(size_t, const Block&) {}   // a loop of steps
  virtual void write_choice(size_t, const Block&) {}  // both branches make the outputs
  virtual void write_while(size_t, const Block&) {}   // a loop that a condition ends
  // Declares the carries of a loop before it, and returns their variables.
  std::vector<std::string> declare_carries(size_t node, const Block& block);
  // The buffers of a carry take turns, so that the last of a known number of steps writes the
  // output of the loop. Called only if the language has blocks.
  virtual std::string declare_carry(const Block&, size_t, ValueId, ValueId) { return {}; }
  // The line that begins a loop of steps.
  std::string step_head(const Block& block, const std::string& variable) const;
  // Copies the elements of a value to the tensor of another value with the same dims, or to an
  // output of the graph. Their dtypes may differ.
  virtual void write_copy(ValueId to, ValueId from) = 0;
  virtual void write_output_copy(size_t output, ValueId from) = 0;
  // The names of the operands in the body of the loop, and their elements.
  virtual std::vector<std::string> begin_loop(const Loop& loop) = 0;
  virtual std::string element(const std::string& operand, const std::string& index) const {
    return operand + "[" + index + "]";
  }
  // The element of an operand that a formula is assigned to.
  virtual std::string target(const std::string& element) const { return element; }
  // The name of a value that lives within the loop, and the text before the name where it is
  // declared: "const float ".
  virtual std::string loop_local(ValueId id) = 0;
  virtual std::string declarator(ValueId id) const = 0;
  virtual void end_loop(const Loop& loop) = 0;
  virtual std::optional<FormulaText> formula(
      size_t node, const std::function<std::string(ValueId)>& element) const;
  // An argument of a kernel that is a tensor.
  virtual std::string tensor_argument(size_t, ValueId id) { return tensor(id); }
  virtual std::string text_line(size_t indent, std::string_view text) const;

  const Graph& graph() const { return program_.graph; }
  const PlannedNode& planned(size_t node) const { return program_.plan.nodes[node]; }
  const BufferRef& buffer(ValueId id) const { return program_.buffers[index(id)]; }
  // Whether the value is a tensor, not a number that lives within one loop.
  bool has_buffer(ValueId id) const { return buffer(id).kind != BufferRef::Kind::loop_local; }
  // The name in the model. A value that is made in the memory of an output has the name of the
  // output.
  const std::string& name_of(ValueId id) const;
  ValueId made_by(const Statement& statement) const {
    return program_.node(statement.nodes.back()).outputs.front();
  }

  // Appends a statement to the body of the function.
  void line(std::string_view text) { body_ += text_line(syntax_.indent, text); }
  // The same in a block.
  void nested_line(std::string_view text) { body_ += text_line(syntax_.indent + 2, text); }
  std::string statement(const std::string& text) const {
    return text + std::string(syntax_.terminator);
  }
  void use(const FormulaText& formula) {
    snippets_.insert(formula.snippets.begin(), formula.snippets.end());
  }

  const SourceProgram& program_;
  const Language& language_;
  const StatementSyntax syntax_;
  std::string body_;
  std::set<std::string> snippets_;  // that the body calls

 private:
  void write(const Statement& statement);
  void write_loop(const Statement& statement);
  void write_call(size_t node);
  void write_block(size_t node, const Block& block);
  std::vector<std::string> arguments_of(size_t node);
  std::string argument(size_t node, size_t at, const PortDef& port);
  std::string list(const std::vector<std::string>& items) const;
};

}  // namespace mithril::codegen
