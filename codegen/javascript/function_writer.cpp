#include "codegen/javascript/function_writer.hpp"

#include <fmt/format.h>

#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/snippets.hpp"
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

}  // namespace

JavaScriptFunctionWriter::JavaScriptFunctionWriter(const SourceProgram& program,
                                                   const ProgramMemory& memory,
                                                   FunctionParts& parts, std::vector<bool> is_wide,
                                                   const NestedTensors* nested, size_t indent)
    : StatementWriter(program, javascript_language(), javascript_syntax(indent)),
      memory_(memory),
      parts_(parts),
      nested_(nested),
      is_wide_(std::move(is_wide)),
      tensors_(program.graph.values().size()) {}

std::string JavaScriptFunctionWriter::write() {
  write_statements();
  parts_.snippets.merge(snippets_);
  return std::move(body_);
}

std::string JavaScriptFunctionWriter::array_of(ValueId id) const {
  return javascript_array(graph().value(id).dtype, is_wide(id));
}

std::string JavaScriptFunctionWriter::tensor(ValueId id) {
  std::string& name = tensors_[index(id)];
  if (!name.empty()) return name;
  const NestedTensor* given = nested_tensor(buffer(id));
  if (given && given->is_variable && has_own_dims(id)) return name = given->text;
  name = parts_.names.add(name_of(id));
  const std::string sizes = sizes_of(id);
  const BufferRef& at = buffer(id);
  const std::string note = note_of(name, name_of(id), graph().value(id), program_.dims_of(id));
  if (given) {
    line("const " + name + " = " + nested_text(*given, id) + ";" + note);
  } else if (at.kind == BufferRef::Kind::constant) {
    const Tensor& elements = *program_.constants[at.index];
    const std::string made = are_zeros(elements)
                                 ? "zerosOf(" + array_of(id)
                                 : "constantOf(" + array_of(id) + ", [" + constant_text(elements) +
                                       (is_wide(id) ? "n" : "") + "]";
    parts_.declarations += code_line(2, "const " + name + " = " + made + sizes + ");" + note);
  } else {
    parts_.declarations += declared(name, array_of(id), offset(at), sizes, note);
  }
  return name;
}

std::string JavaScriptFunctionWriter::note_of(const std::string& variable, const std::string& name,
                                              const Value& value, const Dims& dims) {
  return "  // " + (name == variable ? "" : comment(name) + " ") + dims_comment(value, dims);
}

std::string JavaScriptFunctionWriter::sizes_of(ValueId id) const {
  const Dims& dims = program_.dims_of(id);
  return dims.empty() ? "" : ", " + join(dims, ", ");
}

const NestedTensor* JavaScriptFunctionWriter::nested_tensor(const BufferRef& at) const {
  if (!nested_) return nullptr;
  if (at.kind == BufferRef::Kind::input) return &nested_->inputs[at.index];
  return at.kind == BufferRef::Kind::output ? &nested_->outputs[at.index] : nullptr;
}

bool JavaScriptFunctionWriter::has_own_dims(ValueId id) const {
  const BufferRef& at = buffer(id);
  return at.kind == BufferRef::Kind::input ? graph().inputs()[at.index] == id
                                           : graph().outputs()[at.index].value == id;
}

std::string JavaScriptFunctionWriter::nested_text(const NestedTensor& given, ValueId id) {
  if (!given.step.empty()) {
    snippets_.insert("steps");
    return "elementAt(" + array_of(id) + ", " + given.text + ", " + given.step + sizes_of(id) + ")";
  }
  return has_own_dims(id) ? given.text : "viewOf(" + given.text + sizes_of(id) + ")";
}

std::string JavaScriptFunctionWriter::declared(const std::string& name, const std::string& array,
                                               int64_t offset, const std::string& sizes,
                                               const std::string& note) {
  return code_line(
      2, fmt::format("const {} = tensorAt({}, memory, {}{});{}", name, array, offset, sizes, note));
}

int64_t JavaScriptFunctionWriter::offset(const BufferRef& at) const {
  if (at.kind == BufferRef::Kind::input) return memory_.inputs[at.index];
  if (at.kind == BufferRef::Kind::output) return memory_.outputs[at.index];
  MITHRIL_CHECK(at.kind == BufferRef::Kind::workspace, "a value without a buffer is read");
  return memory_.workspace + at.offset;
}

void JavaScriptFunctionWriter::write_copy(ValueId to, ValueId from) {
  write_copy_to(tensor(to), tensor(from), from, to);
}

void JavaScriptFunctionWriter::write_output_copy(size_t output, ValueId from) {
  if (nested_ && nested_->outputs[output].is_variable)
    return write_copy_to(nested_->outputs[output].text, tensor(from), from, from);
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
  write_copy_to(name, tensor(from), from, from);
}

void JavaScriptFunctionWriter::write_copy_to(const std::string& to, const std::string& source,
                                             ValueId from, ValueId like) {
  line(copy_text(to, source, from, like));
}

std::string JavaScriptFunctionWriter::copy_text(const std::string& to, const std::string& source,
                                                ValueId from, ValueId like) {
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
  return parts_.loops.add("copy", "output, input", body) + "(" + to + ".data, " + source +
         ".data);";
}

std::string JavaScriptFunctionWriter::tensor_argument(size_t node, ValueId id) {
  if (!is_wide(id) || takes_wide_ints(program_.node(node).op->name)) return tensor(id);
  return "numbersOf(" + tensor(id) + ")";
}

std::string JavaScriptFunctionWriter::converted(const std::string& element, bool is_wide,
                                                bool to_wide) {
  if (is_wide == to_wide) return element;
  return (to_wide ? "BigInt(" : "Number(") + element + ")";
}

std::vector<std::string> JavaScriptFunctionWriter::begin_loop(const Loop& loop) {
  loop_names_ = Identifiers(javascript_reserved_names());
  parameters_.clear();
  for (const ValueId id : loop.operands) parameters_.push_back(loop_names_.add(name_of(id)));
  return parameters_;
}

void JavaScriptFunctionWriter::end_loop(const Loop& loop) {
  std::vector<std::string> arguments;
  for (const ValueId id : loop.operands) arguments.push_back(tensor(id) + ".data");
  const std::string name = "loop_" + prefix(name_of(loop.result));
  line(parts_.loops.add(name, join(parameters_, ", "), loop.body) + "(" + join(arguments, ", ") +
       ");");
}

std::optional<FormulaText> JavaScriptFunctionWriter::formula(
    size_t node, const std::function<std::string(ValueId)>& element) const {
  const bool wide = is_wide(program_.node(node).outputs.front());
  const auto operand = [&](ValueId id) {
    if (graph().value(id).dtype != DType::int64) return element(id);
    return converted(element(id), is_wide(id), wide);
  };
  return node_formula(graph(), node, planned(node), javascript_language(), operand, wide);
}

}  // namespace mithril::codegen
