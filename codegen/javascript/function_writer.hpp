// Writes the statements of a function of JavaScript, and those nested in it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/common/statement_writer.hpp"
#include "codegen/javascript/function_parts.hpp"

namespace mithril::codegen {

class JavaScriptFunctionWriter final : public StatementWriter {
 public:
  JavaScriptFunctionWriter(const SourceProgram& program, const ProgramMemory& memory,
                           FunctionParts& parts, std::vector<bool> is_wide,
                           const NestedTensors* nested = nullptr, size_t indent = 4);

  std::string write();

 private:
  bool is_wide(ValueId id) const { return is_wide_[index(id)]; }
  std::string array_of(ValueId id) const;

  // The variable of a tensor, which is declared when it is first used.
  std::string tensor(ValueId id) override;
  // The comment behind a declaration.
  static std::string note_of(const std::string& variable, const std::string& name,
                             const Value& value, const Dims& dims);
  std::string sizes_of(ValueId id) const;
  // Where nested statements find an input or output; null: at an offset of the memory.
  const NestedTensor* nested_tensor(const BufferRef& at) const;
  // Whether the value is the input or output in whose buffer it is, not a view of it.
  bool has_own_dims(ValueId id) const;
  // An expression for the tensor, with the dims of the value.
  std::string nested_text(const NestedTensor& given, ValueId id);
  static std::string declared(const std::string& name, const std::string& array, int64_t offset,
                              const std::string& sizes, const std::string& note);
  int64_t offset(const BufferRef& at) const;

  void write_view(size_t) override {}  // a tensor in the same buffer
  void write_copy(ValueId to, ValueId from) override;
  void write_output_copy(size_t output, ValueId from) override;

  // The nested statements make tensors of the elements of a step.
  void write_steps(size_t node, const Block& block) override;
  void write_choice(size_t node, const Block& block) override;
  // A branch that makes numbers in the place of BigInts converts them.
  void write_branch(const std::vector<ValueId>& made, const Block& block, size_t branch,
                    NestedTensors tensors, const std::vector<bool>& wide);
  // The number of steps is not known, so the last carries may be in any buffer.
  void write_while(size_t node, const Block& block) override;
  // The variable of the result of the condition.
  std::string declare_condition(const Block& block);
  // Declares the carries that the condition or the step reads, in the loop.
  void declare_values_of_carries(NestedTensors& tensors, const Block& block,
                                 const std::vector<std::string>& carries);
  // Per argument: the variable, if it is one that a body reads as a whole.
  std::vector<NestedTensor> kept_tensors(const Block& block);
  std::vector<std::vector<bool>> wide_ints_of(const Block& block) const;
  std::string declare_carry(const Block& block, size_t k, ValueId first, ValueId last) override;
  NestedTensors tensors_in_step(size_t node, const Block& block, const std::string& step,
                                const std::vector<std::string>& carries);
  void write_nested(const Block& block, const SourceProgram& body, const NestedTensors& tensors,
                    const std::vector<bool>& wide);

  void write_copy_to(const std::string& to, const std::string& source, ValueId from, ValueId like);
  // A call of a loop over the formula that converts elements like those of `from` to those of
  // `like`.
  std::string copy_text(const std::string& to, const std::string& source, ValueId from,
                        ValueId like);

  std::string tensor_argument(size_t node, ValueId id) override;
  // An int of 64 bits as a number or as a BigInt.
  static std::string converted(const std::string& element, bool is_wide, bool to_wide);
  // A function for the loop, so that engines compile each loop alone, and a call of it.
  std::vector<std::string> begin_loop(const Loop& loop) override;
  std::string loop_local(ValueId id) override { return loop_names_.add(graph().value(id).name); }
  std::string declarator(ValueId) const override { return "const "; }
  void end_loop(const Loop& loop) override;
  std::optional<FormulaText> formula(
      size_t node, const std::function<std::string(ValueId)>& element) const override;

  const ProgramMemory& memory_;
  FunctionParts& parts_;
  const NestedTensors* nested_;          // null: these are not nested
  Identifiers loop_names_;               // of the current loop
  std::vector<std::string> parameters_;  // of the current loop
  std::vector<bool> is_wide_;            // per value
  std::vector<std::string> tensors_;     // per value, once it has a variable
};

}  // namespace mithril::codegen
