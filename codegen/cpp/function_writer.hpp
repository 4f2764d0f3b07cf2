// The body of a generated function: a statement for each loop and each call of a kernel, and
// nested ones.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/common/names.hpp"
#include "codegen/common/statement_writer.hpp"

namespace mithril::codegen {

// The names that the body uses.
struct FunctionNames {
  std::vector<std::string> inputs;   // per input of the graph: an expression for its pointer
  std::vector<std::string> outputs;  // per output of the graph
  // Per constant that the program or one of its blocks reads: the name of its array.
  std::map<const Tensor*, std::string> constants;
  Identifiers locals;  // contains the names that no local may have
  // Of nested statements: the variables of inputs and outputs that are declared before them; empty:
  // not declared. The offset of their memory in the workspace, and the columns before them.
  std::vector<std::string> declared = {}, declared_outputs = {};
  int64_t workspace = 0;
  size_t indent = 2;
};

struct FunctionText {
  std::string body;
  std::set<std::string> snippets = {};
  // the pointers of FunctionNames that the body uses; "workspace"
  std::set<std::string> pointers = {};
  Identifiers locals = {};  // those given, and the variables of the body
};

class CppFunctionWriter final : public StatementWriter {
 public:
  CppFunctionWriter(const SourceProgram& program, FunctionNames names);

  FunctionText write();

 private:
  std::string pointer(ValueId id);
  const std::string& pointer(const std::string& name) { return *pointers_.insert(name).first; }
  // Elements of the type of the value at an offset of the memory of this program.
  std::string place(ValueId id, int64_t offset) { return place(graph().value(id).dtype, offset); }
  std::string place(DType dtype, int64_t offset);
  // Names and declares a value that the current statement makes.
  void declare(ValueId id) override;
  // The variable of the output that the value is, if statements around these ones declare it.
  const std::string* given_output(ValueId id) const;
  void declare_new(ValueId id, const std::string& elements);
  // Declares a tensor under the name of the value in the model.
  void declare_named(ValueId id, const std::string& elements);
  static std::string declaration(const std::string& variable, const std::string& tensor,
                                 const std::string& name, const Value& value, const Dims& dims);
  static std::string tensor_text(const std::string& elements, const Dims& dims);
  // Names the inputs and constants. They are declared once it is known which of them are read.
  void name_given();
  bool is_declared(size_t input) const;
  void declare_given();

  std::string tensor(ValueId id) override;
  // The values that the written statements read. If an output is a view, its source is made in the
  // output's memory, and the view may have no consumer.
  std::vector<bool> wanted_values() const;
  void begin_statement() override { body_ += "\n"; }
  void write_view(size_t node) override;

  // The nested statements find the elements of a step by pointers.
  void write_steps(size_t node, const Block& block) override;
  void write_choice(size_t node, const Block& block) override;
  // The number of steps is not known, so the last carries may be in any buffer.
  void write_while(size_t node, const Block& block) override;
  // The variable of the result of the condition.
  std::string declare_condition(const Block& block);
  // Declares the carries that the condition or the step reads, in the loop.
  void declare_values_of_carries(FunctionNames& names, const Block& block,
                                 const std::vector<std::string>& carries);
  // Per argument: the variable, if it is one that a body reads as a whole.
  std::vector<std::string> kept_variables(const Block& block);
  std::string declare_carry(const Block& block, size_t k, ValueId first, ValueId last) override;
  // Adds the inputs and outputs of a step.
  void name_in_step(FunctionNames& names, size_t node, const Block& block, const std::string& step,
                    const std::vector<std::string>& carries);
  // The names for a body of the block, without its inputs and outputs.
  FunctionNames nested_names(const Block& block) const;
  // Returns the names that the nested statements know or declare.
  Identifiers write_nested(const SourceProgram& body, FunctionNames names);

  void write_copy(ValueId to, ValueId from) override;
  void write_output_copy(size_t output, ValueId from) override;
  std::vector<std::string> begin_loop(const Loop& loop) override;
  std::string loop_local(ValueId id) override { return names_.locals.add(graph().value(id).name); }
  std::string declarator(ValueId id) const override;
  void end_loop(const Loop& loop) override { body_ += loop.body; }

  FunctionNames names_;
  std::vector<std::string> locals_;  // per value, once it has a name
  std::vector<bool> read_, wanted_;  // per value: so far; in total
  std::set<std::string> pointers_;
};

}  // namespace mithril::codegen
