#include "codegen/cpp/function_text.hpp"

#include <algorithm>
#include <string_view>

#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/loop_text.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

class FunctionWriter {
 public:
  FunctionWriter(const Program& program, FunctionNames names)
      : program_(program),
        names_(std::move(names)),
        locals_(program.graph.values().size()),
        read_(locals_.size()),
        wanted_(wanted_values()) {}

  FunctionText write() {
    name_given();
    for (const Statement& statement : program_.statements) {
      if (statement.kind == StatementKind::view && !wanted_[index(made_by(statement))]) continue;
      result_.body += "\n";
      write(statement);
    }
    copy_outputs();
    std::string body = std::move(result_.body);
    result_.body.clear();
    declare_given();
    result_.body += body.substr(result_.body.empty() && !body.empty() ? 1 : 0);
    return std::move(result_);
  }

 private:
  const Graph& graph() const { return program_.graph; }
  const PlannedNode& planned(size_t node) const { return program_.plan.nodes[node]; }
  const BufferRef& buffer(ValueId id) const { return program_.buffers[index(id)]; }

  void line(size_t indent, const std::string& text) { result_.body += code_line(indent, text); }

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

  const std::string& pointer(const std::string& name) {
    return *result_.pointers.insert(name).first;
  }

  // Declares a value that the current statement makes.
  void declare(ValueId id) {
    locals_[index(id)] = names_.locals.add(name_of(id));
    declare(id, pointer(id));
  }

  // Declares a tensor under the name of the value in the model.
  void declare(ValueId id, const std::string& elements) {
    const Dims& dims = program_.dims_of(id);
    line(2, "const auto " + locals_[index(id)] + " = tensor(" + elements +
                (dims.empty() ? "" : ", " + join(dims, ", ")) + ");  // " + comment(name_of(id)) +
                " " + dims_comment(graph().value(id), dims));
  }

  // A value that is made in the memory of an output has the name of the output.
  const std::string& name_of(ValueId id) const {
    const BufferRef& at = buffer(id);
    if (at.kind != BufferRef::Kind::output) return graph().value(id).name;
    const Output& output = graph().outputs()[at.index];
    return output.value == id ? output.name : graph().value(id).name;
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
      if (read_[index(id)]) declare(id, pointer(id));
    }
    for (size_t i = 0; i < locals_.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (program_.constants[i] && read_[i]) declare(id, pointer(id));
    }
  }

  const std::string& local(ValueId id) {
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

  ValueId made_by(const Statement& view) const {
    return program_.node(view.nodes.front()).outputs.front();
  }

  void write(const Statement& statement) {
    const size_t node = statement.nodes.front();
    switch (statement.kind) {
      case StatementKind::loop:
        return write_loop(statement);
      case StatementKind::view:
        return write_view(node);
      case StatementKind::copy:
        return write_copy(node);
      case StatementKind::kernel:
        return write_call(node);
      case StatementKind::constant:
        break;
    }
  }

  void write_view(size_t node) {
    const ValueId made = program_.node(node).outputs.front();
    locals_[index(made)] = names_.locals.add(name_of(made));
    declare(made, local(program_.reads[node].front()) + ".data");
  }

  void write_copy(size_t node) {
    const ValueId made = program_.node(node).outputs.front();
    declare(made);
    line(2,
         "copy(" + locals_[index(made)] + ".data, " + local(program_.reads[node].front()) + ");");
  }

  void write_call(size_t node) {
    const Node& at = program_.node(node);
    for (const ValueId id : at.outputs) declare(id);
    std::vector<std::string> arguments = listed(outputs_of(node), at.op->list_output());
    for (const std::string& input : inputs_of(node)) arguments.push_back(input);
    line(2, at.op->name + "(" + join(arguments, ", ") + ");");
    result_.snippets.insert(at.op->name);
  }

  std::vector<std::string> outputs_of(size_t node) const {
    std::vector<std::string> names;
    for (const ValueId id : program_.node(node).outputs) names.push_back(locals_[index(id)]);
    return names;
  }

  // A list port is one argument.
  static std::vector<std::string> listed(std::vector<std::string> names, int list_port) {
    if (list_port < 0) return names;
    return {"std::make_tuple(" + join(names, ", ") + ")"};
  }

  std::vector<std::string> inputs_of(size_t node) {
    const Node& at = program_.node(node);
    std::vector<std::string> arguments;
    size_t next = 0;
    for (const PortDef& port : at.op->inputs) {
      if (!port.list) {
        arguments.push_back(input(node, next++, port));
        continue;
      }
      std::vector<std::string> items;
      for (size_t k = 0; k < at.list_size(); ++k) items.push_back(input(node, next++, port));
      arguments.push_back("std::make_tuple(" + join(items, ", ") + ")");
    }
    return arguments;
  }

  std::string input(size_t node, size_t at, const PortDef& port) {
    const int32_t tensor = planned(node).tensors[at];
    if (tensor >= 0) return local(static_cast<ValueId>(tensor));
    return "/*" + port.name + "=*/" + argument(planned(node).values[at]);
  }

  void write_loop(const Statement& statement) {
    const Dims& dims = program_.dims_of(program_.node(statement.nodes.front()).outputs.front());
    std::vector<ValueId> operands;
    std::vector<Dims> operand_dims;
    const auto add = [&](ValueId id) {
      if (std::find(operands.begin(), operands.end(), id) != operands.end()) return;
      operands.push_back(id);
      operand_dims.push_back(program_.dims_of(id));
    };
    for (const size_t node : statement.nodes) {
      for (const ValueId id : program_.reads[node]) {
        if (has_buffer(id)) add(id);
      }
      const ValueId made = program_.node(node).outputs.front();
      if (!has_buffer(made)) continue;
      declare(made);
      add(made);
    }
    const LoopNest nest(dims, operand_dims);
    const auto element = [&](ValueId id) {
      const auto at = std::find(operands.begin(), operands.end(), id);
      if (at == operands.end()) return local(id);
      return local(id) + "[" + nest.index(static_cast<size_t>(at - operands.begin())) + "]";
    };
    size_t indent = 2;
    for (size_t axis = 0; axis < nest.sizes().size(); ++axis, indent += 2) {
      const std::string variable = LoopNest::variable(axis);
      line(indent, "for (int64_t " + variable + " = 0; " + variable + " < " +
                       std::to_string(nest.sizes()[axis]) + "; ++" + variable + ") {");
    }
    for (const size_t node : statement.nodes) write_formula(node, indent, element);
    while (indent > 2) line(indent -= 2, "}");
  }

  // Whether the value is a tensor, not a number that lives within one loop.
  bool has_buffer(ValueId id) const { return buffer(id).kind != BufferRef::Kind::loop_local; }

  template <typename Element>
  void write_formula(size_t node, size_t indent, const Element& element) {
    const ValueId made = program_.node(node).outputs.front();
    const auto formula = node_formula(graph(), node, planned(node), cpp_language(), element);
    MITHRIL_CHECK(formula, "a formula is lost: " + graph().value(made).name);
    result_.snippets.insert(formula->snippets.begin(), formula->snippets.end());
    if (has_buffer(made)) return line(indent, element(made) + " = " + formula->text + ";");
    const Value& value = graph().value(made);
    locals_[index(made)] = names_.locals.add(value.name);
    line(indent, "const " + type_name(value.dtype) + " " + locals_[index(made)] + " = " +
                     formula->text + ";");
  }

  void copy_outputs() {
    for (const size_t i : program_.copied) {
      const ValueId id = graph().outputs()[i].value;
      line(2, "copy(" + pointer(names_.outputs[i]) + ", " + local(id) + ");");
    }
  }

  const Program& program_;
  FunctionNames names_;
  std::vector<std::string> locals_;  // per value, once it has a name
  std::vector<bool> read_, wanted_;  // per value: so far; in total
  FunctionText result_;
};

}  // namespace

FunctionText function_text(const Program& program, FunctionNames names) {
  return FunctionWriter(program, std::move(names)).write();
}

}  // namespace mithril::codegen
