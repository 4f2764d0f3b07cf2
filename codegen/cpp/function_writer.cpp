#include "codegen/cpp/function_writer.hpp"

#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {
namespace {

std::string port_argument(const Datum& value, const PortDef& port) {
  return "/*" + port.name + "=*/" + argument(value);
}

StatementSyntax cpp_syntax(size_t indent) {
  return {
      .indent = indent,
      .loop_indent = indent,
      .list_begin = "std::make_tuple(",
      .list_end = ")",
      .terminator = ";",
      .loop_head = "for (int64_t {0} = 0; {0} < {1}; ++{0}) {{",
      .loop_end = "}",
      .argument = port_argument,
      .reverse_head = "for (int64_t {0} = {1}; {0}-- > 0;) {{",
  };
}

}  // namespace

CppFunctionWriter::CppFunctionWriter(const SourceProgram& program, FunctionNames names)
    : StatementWriter(program, cpp_language(), cpp_syntax(names.indent)),
      names_(std::move(names)),
      locals_(program.graph.values().size()),
      read_(locals_.size()),
      wanted_(wanted_values()) {}

FunctionText CppFunctionWriter::write() {
  name_given();
  write_statements();
  const std::string statements = std::move(body_);
  body_.clear();
  declare_given();
  body_ += statements.substr(body_.empty() && statements.starts_with('\n') ? 1 : 0);
  return {.body = std::move(body_),
          .snippets = std::move(snippets_),
          .pointers = std::move(pointers_),
          .locals = std::move(names_.locals)};
}

std::string CppFunctionWriter::pointer(ValueId id) {
  const BufferRef& at = buffer(id);
  switch (at.kind) {
    case BufferRef::Kind::input:
      return pointer(names_.inputs[at.index]);
    case BufferRef::Kind::output:
      return pointer(names_.outputs[at.index]);
    case BufferRef::Kind::constant:
      return names_.constants.at(&*program_.constants[at.index]);
    case BufferRef::Kind::workspace:
      return place(id, at.offset);
    case BufferRef::Kind::loop_local:
      break;
  }
  MITHRIL_CHECK(false, "a value without a buffer is read: " + graph().value(id).name);
  return {};
}

std::string CppFunctionWriter::place(DType dtype, int64_t offset) {
  return "at<" + type_name(dtype) + ">(" + pointer("workspace") + ", " +
         std::to_string(names_.workspace + offset) + ")";
}

void CppFunctionWriter::declare(ValueId id) {
  const std::string* given = given_output(id);
  if (given)
    locals_[index(id)] = *given;
  else
    declare_new(id, pointer(id));
}

const std::string* CppFunctionWriter::given_output(ValueId id) const {
  const BufferRef& at = buffer(id);
  if (at.kind != BufferRef::Kind::output || at.index >= names_.declared_outputs.size())
    return nullptr;
  const std::string& declared = names_.declared_outputs[at.index];
  return declared.empty() || graph().outputs()[at.index].value != id ? nullptr : &declared;
}

void CppFunctionWriter::declare_new(ValueId id, const std::string& elements) {
  locals_[index(id)] = names_.locals.add(name_of(id));
  declare_named(id, elements);
}

void CppFunctionWriter::declare_named(ValueId id, const std::string& elements) {
  line(declaration(locals_[index(id)], tensor_text(elements, program_.dims_of(id)), name_of(id),
                   graph().value(id), program_.dims_of(id)));
}

std::string CppFunctionWriter::declaration(const std::string& variable, const std::string& tensor,
                                           const std::string& name, const Value& value,
                                           const Dims& dims) {
  return "const auto " + variable + " = " + tensor + ";  // " + comment(name) + " " +
         dims_comment(value, dims);
}

std::string CppFunctionWriter::tensor_text(const std::string& elements, const Dims& dims) {
  return "tensor(" + elements + (dims.empty() ? "" : ", " + join(dims, ", ")) + ")";
}

void CppFunctionWriter::name_given() {
  for (size_t i = 0; i < graph().inputs().size(); ++i) {
    const ValueId id = graph().inputs()[i];
    locals_[index(id)] = is_declared(i) ? names_.declared[i] : names_.locals.add(name_of(id));
  }
  for (size_t i = 0; i < locals_.size(); ++i) {
    if (!program_.constants[i]) continue;
    locals_[i] = names_.locals.add(graph().values()[i].name);
  }
}

bool CppFunctionWriter::is_declared(size_t input) const {
  return input < names_.declared.size() && !names_.declared[input].empty();
}

void CppFunctionWriter::declare_given() {
  for (size_t i = 0; i < graph().inputs().size(); ++i) {
    const ValueId id = graph().inputs()[i];
    if (read_[index(id)] && !is_declared(i)) declare_named(id, pointer(id));
  }
  for (size_t i = 0; i < locals_.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (program_.constants[i] && read_[i]) declare_named(id, pointer(id));
  }
}

std::string CppFunctionWriter::tensor(ValueId id) {
  read_[index(id)] = true;
  return locals_[index(id)];
}

std::vector<bool> CppFunctionWriter::wanted_values() const {
  std::vector<bool> wanted(locals_.size());
  for (const size_t output : program_.copied) wanted[index(graph().outputs()[output].value)] = true;
  for (size_t s = program_.statements.size(); s-- > 0;) {
    const Statement& statement = program_.statements[s];
    if (statement.kind == StatementKind::view && !wanted[index(made_by(statement))]) continue;
    for (const size_t node : statement.nodes) {
      for (const ValueId id : program_.reads[node]) wanted[index(id)] = true;
    }
  }
  return wanted;
}

void CppFunctionWriter::write_view(size_t node) {
  const ValueId made = program_.node(node).outputs.front();
  if (!wanted_[index(made)]) return;
  begin_statement();
  declare_new(made, tensor(program_.reads[node].front()) + ".data");
}

void CppFunctionWriter::write_copy(ValueId to, ValueId from) {
  line("copy(" + tensor(to) + ".data, " + tensor(from) + ");");
}

void CppFunctionWriter::write_output_copy(size_t output, ValueId from) {
  line("copy(" + pointer(names_.outputs[output]) + ", " + tensor(from) + ");");
}

std::vector<std::string> CppFunctionWriter::begin_loop(const Loop& loop) {
  std::vector<std::string> names;
  for (const ValueId id : loop.operands) names.push_back(tensor(id));
  return names;
}

std::string CppFunctionWriter::declarator(ValueId id) const {
  return "const " + type_name(graph().value(id).dtype) + " ";
}

}  // namespace mithril::codegen
