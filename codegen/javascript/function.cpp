#include "codegen/javascript/function.hpp"

#include <fmt/format.h>

#include "codegen/common/block.hpp"
#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
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

StatementSyntax javascript_syntax(size_t indent) {
  return {
      .indent = indent,
      .loop_indent = 2,
      .list_begin = "[",
      .list_end = "]",
      .terminator = ";",
      .loop_head = "for (let {0} = 0; {0} < {1}; ++{0}) {{",
      .loop_end = "}",
      .argument = port_argument_of_javascript,
      .reverse_head = "for (let {0} = {1}; {0}-- > 0; ) {{",
  };
}

// What the statements of a function and those nested in them share.
struct FunctionParts {
  LoopFunctions& loops;
  Identifiers names = Identifiers(javascript_reserved_names());
  std::string declarations = {};  // of tensors that stay where they are
  std::set<std::string> snippets = {};
};

// A tensor that nested statements read or make: a variable, or an element of it.
struct NestedTensor {
  std::string text;
  std::string step = {};  // the variable of the step, if it is the element of a step
  bool is_variable = false;
};

// Where the nested statements of a block find their tensors.
struct NestedTensors {
  std::vector<NestedTensor> inputs = {}, outputs = {};  // of their graph
};

class JavaScriptFunctionWriter final : public StatementWriter {
 public:
  JavaScriptFunctionWriter(const Program& program, const ProgramMemory& memory,
                           FunctionParts& parts, std::vector<bool> is_wide,
                           const NestedTensors* nested = nullptr, size_t indent = 4)
      : StatementWriter(program, javascript_language(), javascript_syntax(indent)),
        memory_(memory),
        parts_(parts),
        nested_(nested),
        is_wide_(std::move(is_wide)),
        tensors_(program.graph.values().size()) {}

  std::string write() {
    write_statements();
    parts_.snippets.merge(snippets_);
    return std::move(body_);
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
    const NestedTensor* given = nested_tensor(buffer(id));
    if (given && given->is_variable && is_input(id)) return name = given->text;
    name = parts_.names.add(name_of(id));
    const std::string sizes = sizes_of(id);
    const BufferRef& at = buffer(id);
    const std::string path = name_of(id) == name ? "" : comment(name_of(id)) + " ";
    const std::string note = "  // " + path + dims_comment(graph().value(id), program_.dims_of(id));
    if (given) {
      line("const " + name + " = " + nested_text(*given, id) + ";" + note);
    } else if (at.kind == BufferRef::Kind::constant) {
      const Tensor& elements = *program_.constants[at.index];
      const std::string made = are_zeros(elements)
                                   ? "zerosOf(" + array_of(id)
                                   : "constantOf(" + array_of(id) + ", [" +
                                         constant_text(elements) + (is_wide(id) ? "n" : "") + "]";
      parts_.declarations += code_line(2, "const " + name + " = " + made + sizes + ");" + note);
    } else {
      parts_.declarations += declared(name, array_of(id), offset(at), sizes, note);
    }
    return name;
  }

  std::string sizes_of(ValueId id) const {
    const Dims& dims = program_.dims_of(id);
    return dims.empty() ? "" : ", " + join(dims, ", ");
  }

  // Where nested statements find an input or output; null: at an offset of the memory.
  const NestedTensor* nested_tensor(const BufferRef& at) const {
    if (!nested_) return nullptr;
    if (at.kind == BufferRef::Kind::input) return &nested_->inputs[at.index];
    return at.kind == BufferRef::Kind::output ? &nested_->outputs[at.index] : nullptr;
  }

  bool is_input(ValueId id) const {
    return buffer(id).kind == BufferRef::Kind::input && graph().inputs()[buffer(id).index] == id;
  }

  // An expression for the tensor, with the dims of the value.
  std::string nested_text(const NestedTensor& given, ValueId id) {
    if (!given.step.empty()) {
      snippets_.insert("steps");
      return "elementAt(" + array_of(id) + ", " + given.text + ", " + given.step + sizes_of(id) +
             ")";
    }
    const BufferRef& at = buffer(id);
    const bool same_dims =
        at.kind == BufferRef::Kind::input ? is_input(id) : graph().outputs()[at.index].value == id;
    return same_dims ? given.text : "viewOf(" + given.text + sizes_of(id) + ")";
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
    const std::string name = parts_.names.add(graph().outputs()[output].name);
    if (nested_) {
      const NestedTensor& to = nested_->outputs[output];
      const std::string copied = tensor(from);
      line("const " + name + " = " + (to.step.empty() ? to.text : nested_text(to, from)) +
           ";  // a copy of " + copied);
    } else {
      parts_.declarations +=
          declared(name, array_of(from), memory_.outputs[output], sizes_of(from), "");
    }
    write_copy_to(name, from, from);
  }

  // A loop of steps. The nested statements make tensors of the elements of a step.
  void write_block(size_t node, const Block& block) override {
    const std::vector<ValueId>& given = block.arguments;
    const std::vector<ValueId>& made = program_.node(node).outputs;
    line("// " + block_comment(program_, node, block));
    if (block.steps == 0) {
      for (size_t k = 0; k < block.carries; ++k) write_copy(made[k], given[k]);
      return;
    }
    std::vector<std::string> carries;
    for (size_t k = 0; k < block.carries; ++k)
      carries.push_back(declare_carry(block, k, given[k], made[k]));
    const std::string step = parts_.names.add("step");
    const NestedTensors tensors = tensors_in_step(node, block, step, carries);
    std::vector<bool> arguments;
    for (const ValueId id : given) arguments.push_back(is_wide(id));
    const std::vector<bool> wide = wide_ints_of_step(block, arguments, language_);
    line(step_head(block, step));
    write_nested(block, block.step(), tensors, wide);
    for (const std::string& carry : carries) line("  " + carry + ".advance();");
    for (size_t k = block.carries; k < made.size(); ++k) {
      if (!wide[index(block.step().graph.outputs()[k].value)]) continue;
      line("  becomeNumbers(elementAt(BigInt64Array, " + tensor(made[k]) + ", " + step + "));");
    }
    line("}");
  }

  // The buffers of a carry take turns, so that the last step writes the output of the loop.
  std::string declare_carry(const Block& block, size_t k, ValueId first, ValueId last) {
    const Graph& step = block.step().graph;
    const std::string name = parts_.names.add(step.value(step.inputs()[k]).name + ".carry");
    std::string now = tensor(first), next = tensor(last), spare = "null";
    if (is_wide(first) != is_wide(last))
      now = (is_wide(last) ? "bigIntsOf(" : "numbersOf(") + now + ")";
    if (block.steps > 1) {
      spare = parts_.names.add(name_of(last) + ".spare");
      const int64_t offset = memory_.workspace + block.offset + block.spares[k];
      parts_.declarations += declared(spare, array_of(last), offset, sizes_of(last), "");
    }
    if (block.steps % 2 == 0) std::swap(next, spare);
    line("const " + name + " = carryOf(" + now + ", " + next + ", " + spare + ");");
    snippets_.insert("steps");
    return name;
  }

  NestedTensors tensors_in_step(size_t node, const Block& block, const std::string& step,
                                const std::vector<std::string>& carries) {
    const Graph& body = block.step().graph;
    const std::vector<bool> read = values_read(block.step());
    NestedTensors tensors;
    for (size_t i = 0; i < body.inputs().size(); ++i) {
      NestedTensor& given = tensors.inputs.emplace_back();
      if (step_input(block, i) == StepInput::carry) given.text = carries[i] + ".now";
      if (step_input(block, i) == StepInput::carry || !read[index(body.inputs()[i])]) continue;
      given.text = tensor(block.arguments[i]);
      given.is_variable = step_input(block, i) == StepInput::kept;
      if (!given.is_variable) given.step = step;
    }
    for (size_t k = 0; k < body.outputs().size(); ++k) {
      if (k < block.carries)
        tensors.outputs.push_back({.text = carries[k] + ".next"});
      else
        tensors.outputs.push_back({.text = tensor(program_.node(node).outputs[k]), .step = step});
    }
    return tensors;
  }

  void write_nested(const Block& block, const Program& body, const NestedTensors& tensors,
                    const std::vector<bool>& wide) {
    const ProgramMemory memory{.workspace = memory_.workspace + block.offset};
    body_ +=
        JavaScriptFunctionWriter(body, memory, parts_, wide, &tensors, syntax_.indent + 2).write();
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
    line(parts_.loops.add("copy", "output, input", body) + "(" + to + ".data, " + tensor(from) +
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
    line(parts_.loops.add(name, join(parameters_, ", "), loop.body) + "(" + join(arguments, ", ") +
         ");");
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
  FunctionParts& parts_;
  const NestedTensors* nested_;          // null: these are not nested
  Identifiers loop_names_;               // of the current loop
  std::vector<std::string> parameters_;  // of the current loop
  std::vector<bool> is_wide_;            // per value
  std::vector<std::string> tensors_;     // per value, once it has a variable
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
  FunctionParts parts{.loops = loops};
  const std::string body =
      JavaScriptFunctionWriter(program, memory, parts, wide_ints(program, javascript_language()))
          .write();
  return {.text = "function " + name + "(memory) {\n" + parts.declarations + "  return () => {\n" +
                  body + "  };\n}\n",
          .snippets = std::move(parts.snippets)};
}

}  // namespace mithril::codegen
