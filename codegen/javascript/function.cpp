#include "codegen/javascript/function.hpp"

#include <fmt/format.h>

#include "codegen/common/code_line.hpp"
#include "codegen/common/loop_text.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/common/statement_writer.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/snippets.hpp"
#include "codegen/javascript/wide_ints.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {
namespace {

std::string constant_text(const Tensor& tensor) {
  std::string text;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) text += i % 8 == 0 ? ",\n    " : ", ";
    text += tensor.dtype() == DType::int64
                ? std::to_string(tensor.data<int64_t>()[i])
                : javascript_number(tensor.at_as_double(i), tensor.dtype());
  }
  return text;
}

std::string port_argument_of_javascript(const Datum& value, const PortDef&) {
  return javascript_argument(value);
}

constexpr StatementSyntax javascript_syntax{
    .indent = 4,
    .loop_indent = 2,
    .list_begin = "[",
    .list_end = "]",
    .terminator = ";",
    .loop_head = "for (let {0} = 0; {0} < {1}; ++{0}) {{",
    .loop_end = "}",
    .argument = port_argument_of_javascript,
};

class JavaScriptFunctionWriter final : public StatementWriter {
 public:
  JavaScriptFunctionWriter(const Program& program, const ProgramMemory& memory,
                           LoopFunctions& loops)
      : StatementWriter(program, javascript_language(), javascript_syntax),
        memory_(memory),
        loops_(loops),
        names_(javascript_reserved_names()),
        is_wide_(wide_ints(program, javascript_language())),
        tensors_(program.graph.values().size()) {}

  JavaScriptFunction write(const std::string& name) {
    write_statements();
    return {.text = "function " + name + "(memory) {\n" + declarations_ + "  return () => {\n" +
                    body_ + "  };\n}\n",
            .snippets = std::move(snippets_)};
  }

 private:
  bool is_wide(ValueId id) const { return is_wide_[index(id)]; }
  std::string array_of(ValueId id) const {
    return javascript_array(graph().value(id).dtype, is_wide(id));
  }

  // The variable of a tensor, which is declared when it is first used.
  std::string tensor(ValueId id) override {
    std::string& name = tensors_[index(id)];
    if (!name.empty()) return name;
    name = names_.add(name_of(id));
    const Dims& dims = program_.dims_of(id);
    const std::string sizes = dims.empty() ? "" : ", " + join(dims, ", ");
    const BufferRef& at = buffer(id);
    const std::string path = name_of(id) == name ? "" : comment(name_of(id)) + " ";
    const std::string note = "  // " + path + dims_comment(graph().value(id), dims);
    if (at.kind == BufferRef::Kind::constant) {
      const Tensor& elements = *program_.constants[at.index];
      declarations_ += code_line(2, "const " + name + " = constantOf(" + array_of(id) + ", [" +
                                        constant_text(elements) + (is_wide(id) ? "n" : "") + "]" +
                                        sizes + ");" + note);
    } else {
      declarations_ += declared(name, array_of(id), offset(at), sizes, note);
    }
    return name;
  }

  static std::string declared(const std::string& name, const std::string& array, int64_t offset,
                              const std::string& sizes, const std::string& note) {
    return code_line(2, fmt::format("const {} = tensorAt({}, memory, {}{});{}", name, array, offset,
                                    sizes, note));
  }

  int64_t offset(const BufferRef& at) const {
    if (at.kind == BufferRef::Kind::input) return memory_.inputs[at.index];
    if (at.kind == BufferRef::Kind::output) return memory_.outputs[at.index];
    MITHRIL_CHECK(at.kind == BufferRef::Kind::workspace, "a value without a buffer is read");
    return memory_.workspace + at.offset;
  }

  void write_view(size_t) override {}  // a tensor in the same buffer

  void write_copy(ValueId to, ValueId from) override { write_copy_to(tensor(to), from, to); }

  void write_output_copy(size_t output, ValueId from) override {
    const std::string name = names_.add(graph().outputs()[output].name);
    const Dims& dims = program_.dims_of(from);
    declarations_ += declared(name, array_of(from), memory_.outputs[output],
                              dims.empty() ? "" : ", " + join(dims, ", "), "");
    write_copy_to(name, from, from);
  }

  // A loop over the formula that converts the elements to those of `like`.
  void write_copy_to(const std::string& to, ValueId from, ValueId like) {
    const DType dtype = graph().value(like).dtype;
    const std::string element = converted("input[i]", is_wide(from), is_wide(like));
    const FormulaNode node{.computed = dtype, .output = dtype, .port = [&](const std::string&) {
                             return FormulaPort{.element = element,
                                                .dtype = graph().value(from).dtype};
                           }};
    const auto formula = javascript_language().formula(parse_formula("T({input})"), node);
    use(*formula);
    const std::string body =
        "  for (let i = 0; i < output.length; ++i) output[i] = " + formula->text + ";\n";
    line(loops_.add("copy", "output, input", body) + "(" + to + ".data, " + tensor(from) +
         ".data);");
  }

  std::string tensor_argument(size_t node, ValueId id) override {
    if (!is_wide(id) || takes_wide_ints(program_.node(node).op->name)) return tensor(id);
    return "numbersOf(" + tensor(id) + ")";
  }

  // An int of 64 bits as a number or as a BigInt.
  static std::string converted(const std::string& element, bool is_wide, bool to_wide) {
    if (is_wide == to_wide) return element;
    return (to_wide ? "BigInt(" : "Number(") + element + ")";
  }

  // A function for the loop, so that engines compile each loop alone, and a call of it.
  std::vector<std::string> begin_loop(const Loop& loop) override {
    loop_names_ = Identifiers(javascript_reserved_names());
    parameters_.clear();
    for (const ValueId id : loop.operands) parameters_.push_back(loop_names_.add(name_of(id)));
    return parameters_;
  }

  std::string loop_local(ValueId id) override { return loop_names_.add(graph().value(id).name); }

  std::string declarator(ValueId) const override { return "const "; }

  void end_loop(const Loop& loop) override {
    std::vector<std::string> arguments;
    for (const ValueId id : loop.operands) arguments.push_back(tensor(id) + ".data");
    const std::string name = "loop_" + prefix(name_of(loop.result));
    line(loops_.add(name, join(parameters_, ", "), loop.body) + "(" + join(arguments, ", ") + ");");
  }

  std::optional<FormulaText> formula(
      size_t node, const std::function<std::string(ValueId)>& element) const override {
    const bool wide = is_wide(program_.node(node).outputs.front());
    const auto operand = [&](ValueId id) {
      if (graph().value(id).dtype != DType::int64) return element(id);
      return converted(element(id), is_wide(id), wide);
    };
    return node_formula(graph(), node, planned(node), javascript_language(), operand, wide);
  }

  const ProgramMemory& memory_;
  LoopFunctions& loops_;
  Identifiers names_, loop_names_;       // of the function; of the current loop
  std::vector<std::string> parameters_;  // of the current loop
  std::vector<bool> is_wide_;            // per value
  std::vector<std::string> tensors_;     // per value, once it has a variable
  std::string declarations_;
};

}  // namespace

std::string LoopFunctions::add(const std::string& name, const std::string& parameters,
                               const std::string& body) {
  const auto [at, is_new] = known_.try_emplace(parameters + "\n" + body);
  if (!is_new) return at->second;
  at->second = "$" + names_.add(name);  // identifiers made from names of values never begin with $
  text_ += code_line(0, "function " + at->second + "(" + parameters + ") {") + body + "}\n\n";
  return at->second;
}

JavaScriptFunction javascript_function(const std::string& name, const Program& program,
                                       const ProgramMemory& memory, LoopFunctions& loops) {
  return JavaScriptFunctionWriter(program, memory, loops).write(name);
}

std::set<std::string> javascript_reserved_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = javascript_snippets().defined_names();
    for (const char* name : {"Adam",
                             "Array",
                             "BigInt",
                             "BigInt64Array",
                             "Float32Array",
                             "Float64Array",
                             "Infinity",
                             "Int32Array",
                             "Map",
                             "Math",
                             "MithrilError",
                             "Model",
                             "NaN",
                             "Number",
                             "Object",
                             "SGD",
                             "Uint8Array",
                             "arguments",
                             "await",
                             "createModel",
                             "debugger",
                             "eval",
                             "evaluator",
                             "extends",
                             "finally",
                             "function",
                             "gradient_evaluator",
                             "implements",
                             "in",
                             "instanceof",
                             "interface",
                             "let",
                             "memory",
                             "null",
                             "of",
                             "package",
                             "readSafetensors",
                             "super",
                             "undefined",
                             "var",
                             "with",
                             "writeSafetensors",
                             "yield"})
      all.insert(name);
    for (size_t axis = 0; axis < 20; ++axis) all.insert(LoopNest::variable(axis));
    return all;
  }();
  return names;
}

}  // namespace mithril::codegen
