#include "codegen/cpp/function_text.hpp"

#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/statement_writer.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {
namespace {

std::string port_argument(const Datum& value, const PortDef& port) {
  return "/*" + port.name + "=*/" + argument(value);
}

constexpr StatementSyntax cpp_syntax{
    .indent = 2,
    .loop_indent = 2,
    .list_begin = "std::make_tuple(",
    .list_end = ")",
    .terminator = ";",
    .loop_head = "for (int64_t {0} = 0; {0} < {1}; ++{0}) {{",
    .loop_end = "}",
    .argument = port_argument,
};

class FunctionWriter final : public StatementWriter {
 public:
  FunctionWriter(const Program& program, FunctionNames names)
      : StatementWriter(program, cpp_language(), cpp_syntax),
        names_(std::move(names)),
        locals_(program.graph.values().size()),
        read_(locals_.size()),
        wanted_(wanted_values()) {}

  FunctionText write() {
    name_given();
    write_statements();
    const std::string statements = std::move(body_);
    body_.clear();
    declare_given();
    body_ += statements.substr(body_.empty() && !statements.empty() ? 1 : 0);
    return {.body = std::move(body_),
            .snippets = std::move(snippets_),
            .pointers = std::move(pointers_)};
  }

 private:
  std::string pointer(ValueId id) {
    const BufferRef& at = buffer(id);
    switch (at.kind) {
      case BufferRef::Kind::input:
        return pointer(names_.inputs[at.index]);
      case BufferRef::Kind::output:
        return pointer(names_.outputs[at.index]);
      case BufferRef::Kind::constant:
        return names_.constants[at.index];
      case BufferRef::Kind::workspace:
        pointer("workspace");
        return "at<" + type_name(graph().value(id).dtype) + ">(workspace, " +
               std::to_string(at.offset) + ")";
      case BufferRef::Kind::loop_local:
        break;
    }
    MITHRIL_CHECK(false, "a value without a buffer is read: " + graph().value(id).name);
    return {};
  }

  const std::string& pointer(const std::string& name) { return *pointers_.insert(name).first; }

  // Names and declares a value that the current statement makes.
  void declare(ValueId id) override { declare_new(id, pointer(id)); }

  void declare_new(ValueId id, const std::string& elements) {
    locals_[index(id)] = names_.locals.add(name_of(id));
    declare_named(id, elements);
  }

  // Declares a tensor under the name of the value in the model.
  void declare_named(ValueId id, const std::string& elements) {
    const Dims& dims = program_.dims_of(id);
    line("const auto " + locals_[index(id)] + " = tensor(" + elements +
         (dims.empty() ? "" : ", " + join(dims, ", ")) + ");  // " + comment(name_of(id)) + " " +
         dims_comment(graph().value(id), dims));
  }

  // Names the inputs and constants. They are declared once it is known which of them are read.
  void name_given() {
    for (const ValueId id : graph().inputs()) locals_[index(id)] = names_.locals.add(name_of(id));
    for (size_t i = 0; i < locals_.size(); ++i) {
      if (!program_.constants[i]) continue;
      locals_[i] = names_.locals.add(graph().values()[i].name);
    }
  }

  void declare_given() {
    for (const ValueId id : graph().inputs()) {
      if (read_[index(id)]) declare_named(id, pointer(id));
    }
    for (size_t i = 0; i < locals_.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (program_.constants[i] && read_[i]) declare_named(id, pointer(id));
    }
  }

  std::string tensor(ValueId id) override {
    read_[index(id)] = true;
    return locals_[index(id)];
  }

  // The values that the written statements read. If an output is a view, its source is made in the
  // output's memory, and the view may have no consumer.
  std::vector<bool> wanted_values() const {
    std::vector<bool> wanted(locals_.size());
    for (const size_t output : program_.copied)
      wanted[index(graph().outputs()[output].value)] = true;
    for (size_t s = program_.statements.size(); s-- > 0;) {
      const Statement& statement = program_.statements[s];
      if (statement.kind == StatementKind::view && !wanted[index(made_by(statement))]) continue;
      for (const size_t node : statement.nodes) {
        for (const ValueId id : program_.reads[node]) wanted[index(id)] = true;
      }
    }
    return wanted;
  }

  void begin_statement() override { body_ += "\n"; }

  void write_view(size_t node) override {
    const ValueId made = program_.node(node).outputs.front();
    if (!wanted_[index(made)]) return;
    begin_statement();
    declare_new(made, tensor(program_.reads[node].front()) + ".data");
  }

  void write_copy(ValueId to, ValueId from) override {
    line("copy(" + tensor(to) + ".data, " + tensor(from) + ");");
  }

  void write_output_copy(size_t output, ValueId from) override {
    line("copy(" + pointer(names_.outputs[output]) + ", " + tensor(from) + ");");
  }

  std::vector<std::string> begin_loop(const Loop& loop) override {
    std::vector<std::string> names;
    for (const ValueId id : loop.operands) names.push_back(tensor(id));
    return names;
  }

  std::string loop_local(ValueId id) override { return names_.locals.add(graph().value(id).name); }

  std::string declarator(ValueId id) const override {
    return "const " + type_name(graph().value(id).dtype) + " ";
  }

  void end_loop(const Loop& loop) override { body_ += loop.body; }

  FunctionNames names_;
  std::vector<std::string> locals_;  // per value, once it has a name
  std::vector<bool> read_, wanted_;  // per value: so far; in total
  std::set<std::string> pointers_;
};

}  // namespace

FunctionText function_text(const Program& program, FunctionNames names) {
  return FunctionWriter(program, std::move(names)).write();
}

}  // namespace mithril::codegen
