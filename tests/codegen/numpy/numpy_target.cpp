// How the target writes a module: statements, and the function around them.
#include "tests/codegen/numpy/numpy_target.hpp"

#include <span>

#include "codegen/common/code_line.hpp"
#include "codegen/common/make_program.hpp"
#include "codegen/common/names.hpp"
#include "codegen/common/statement_writer.hpp"
#include "mithril/base/text.hpp"
#include "tests/codegen/numpy/python_literals.hpp"

namespace mithril::tests {
namespace {

using codegen::SourceProgram;
using codegen::StatementSyntax;

std::string dims_text(const Dims& dims) {
  std::vector<std::string> sizes;
  for (const int64_t size : dims) sizes.push_back(std::to_string(size));
  return codegen::python_tuple(sizes);
}

constexpr StatementSyntax numpy_syntax{
    .indent = 4,
    .loop_indent = 4,
    .list_begin = "[",
    .list_end = "]",
    .terminator = "",
    .loop_head = "",  // NumPy computes whole arrays
    .loop_end = "",
    .argument = [](const Datum& value, const PortDef&) { return python_argument(value); },
};

class NumpyWriter final : public codegen::StatementWriter {
 public:
  NumpyWriter(const SourceProgram& program, const ExportedModel& model)
      : StatementWriter(program, numpy_language(), numpy_syntax),
        model_(model),
        names_(reserved_names()),
        variables_(program.graph.values().size()) {}

  std::string write() {
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
      const ValueId id = graph().inputs()[i];
      name(id, "inputs[" + codegen::python_string(model_.inputs[i].key) + "]");
    }
    write_statements();
    std::string results;
    for (const ExportedOutput& output : model_.outputs) {
      const std::string made = tensor(graph().outputs()[output.index].value);
      results += (results.empty() ? "" : ", ") + codegen::python_string(output.key) + ": " + made;
    }
    return functions() + "\n\n@np.errstate(all=\"ignore\")\ndef model(inputs):\n" + constants_ +
           body_ + "    return {" + results + "}\n";
  }

 private:
  static std::set<std::string> reserved_names() {
    std::set<std::string> names = numpy_language().snippets().defined_names();
    for (const char* name :
         {"False",   "None",     "True",   "as",     "assert", "def",    "del",  "elif",   "except",
          "finally", "from",     "global", "import", "in",     "inputs", "is",   "lambda", "math",
          "model",   "nonlocal", "np",     "pass",   "raise",  "with",   "yield"})
      names.insert(name);
    return names;
  }

  // The imports and functions that the body calls.
  std::string functions() const {
    std::set<std::string> imports = {"import numpy as np"};
    std::string text;
    for (const codegen::Snippet* snippet : numpy_language().snippets().with_needs(snippets_)) {
      imports.insert(snippet->imports.begin(), snippet->imports.end());
      text += "\n\n" + snippet->description + snippet->text;
    }
    return join(std::vector<std::string>(imports.begin(), imports.end()), "\n") + "\n" + text;
  }

  std::string note(ValueId id) const {
    return "  # " + codegen::comment(name_of(id)) + " " +
           codegen::dims_comment(graph().value(id), program_.dims_of(id));
  }

  // Assigns an expression to a new variable.
  void name(ValueId id, const std::string& expression) {
    std::string& variable = variables_[index(id)];
    variable = names_.add(name_of(id));
    line(variable + " = " + expression + note(id));
  }

  std::string tensor(ValueId id) override {
    std::string& variable = variables_[index(id)];
    if (!variable.empty()) return variable;
    variable = names_.add(name_of(id));
    const Tensor& constant = *program_.constants[index(id)];
    constants_ += text_line(4, variable + " = " + numpy_constant(constant) + ".reshape(" +
                                   dims_text(constant.dims()) + ")" + note(id));
    return variable;
  }

  void declare(ValueId id) override {
    name(id, "np.empty(" + dims_text(program_.dims_of(id)) + ", " +
                 numpy_dtype(graph().value(id).dtype) + ")");
  }

  void write_view(size_t node) override {
    const ValueId made = program_.node(node).outputs.front();
    name(made, tensor(program_.reads[node].front()) + ".reshape(" +
                   dims_text(program_.dims_of(made)) + ")");
  }

  void write_copy(ValueId to, ValueId from) override {
    line(tensor(to) + "[...] = " + tensor(from) + ".reshape(" + dims_text(program_.dims_of(to)) +
         ")");
  }

  void write_output_copy(size_t, ValueId) override {}  // any array may be a result

  std::vector<std::string> begin_loop(const Loop& loop) override {
    std::vector<std::string> names;
    for (const ValueId id : loop.operands) names.push_back(tensor(id));
    return names;
  }

  std::string element(const std::string& operand, const std::string&) const override {
    return operand;
  }

  std::string target(const std::string& element) const override { return element + "[...]"; }

  std::string loop_local(ValueId id) override { return names_.add(name_of(id)); }

  std::string declarator(ValueId) const override { return ""; }

  void end_loop(const Loop& loop) override { body_ += loop.body; }

  std::string text_line(size_t indent, std::string_view text) const override {
    return std::string(indent, ' ') + std::string(text) + "\n";
  }

  const ExportedModel& model_;
  codegen::Identifiers names_;
  std::vector<std::string> variables_;  // per value, once it has a name
  std::string constants_;
};

}  // namespace

std::string numpy_source(const ExportedModel& model, const std::string& name) {
  std::vector<Dims> dims;
  for (const ExportedInput& input : model.inputs) dims.push_back(input.dims);
  const SourceProgram program = codegen::make_program(model.graph, dims, numpy_language());
  const SourceProgram* const programs[] = {&program};
  codegen::check_ops(programs, numpy_language());
  return "# The model '" + codegen::comment(name) + "'. It needs NumPy alone.\n" +
         NumpyWriter(program, model).write();
}

}  // namespace mithril::tests
