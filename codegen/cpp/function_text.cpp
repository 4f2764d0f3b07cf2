#include "codegen/cpp/function_text.hpp"

#include "codegen/common/block.hpp"
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

class FunctionWriter final : public StatementWriter {
 public:
  FunctionWriter(const Program& program, FunctionNames names)
      : StatementWriter(program, cpp_language(), cpp_syntax(names.indent)),
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
    body_ += statements.substr(body_.empty() && statements.starts_with('\n') ? 1 : 0);
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
        return names_.constants.at(&*program_.constants[at.index]);
      case BufferRef::Kind::workspace:
        return place(id, at.offset);
      case BufferRef::Kind::loop_local:
        break;
    }
    MITHRIL_CHECK(false, "a value without a buffer is read: " + graph().value(id).name);
    return {};
  }

  const std::string& pointer(const std::string& name) { return *pointers_.insert(name).first; }

  // Elements of the type of the value at an offset of the memory of this program.
  std::string place(ValueId id, int64_t offset) {
    return "at<" + type_name(graph().value(id).dtype) + ">(" + pointer("workspace") + ", " +
           std::to_string(names_.workspace + offset) + ")";
  }

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
    for (size_t i = 0; i < graph().inputs().size(); ++i) {
      const ValueId id = graph().inputs()[i];
      locals_[index(id)] = is_declared(i) ? names_.declared[i] : names_.locals.add(name_of(id));
    }
    for (size_t i = 0; i < locals_.size(); ++i) {
      if (!program_.constants[i]) continue;
      locals_[i] = names_.locals.add(graph().values()[i].name);
    }
  }

  bool is_declared(size_t input) const {
    return input < names_.declared.size() && !names_.declared[input].empty();
  }

  void declare_given() {
    for (size_t i = 0; i < graph().inputs().size(); ++i) {
      const ValueId id = graph().inputs()[i];
      if (read_[index(id)] && !is_declared(i)) declare_named(id, pointer(id));
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

  // A loop of steps. The nested statements find the elements of a step by pointers.
  void write_block(size_t node, const Block& block) override {
    const std::vector<ValueId>& given = block.arguments;
    const std::vector<ValueId>& made = program_.node(node).outputs;
    for (size_t k = 0; k < made.size(); ++k) {
      if (block.steps > 0 || k < block.carries || wanted_[index(made[k])]) declare(made[k]);
    }
    line("// " + block_comment(program_, node, block));
    if (block.steps == 0) {
      for (size_t k = 0; k < block.carries; ++k) write_copy(made[k], given[k]);
      return;
    }
    std::vector<std::string> carries;
    for (size_t k = 0; k < block.carries; ++k)
      carries.push_back(declare_carry(block, k, given[k], made[k]));
    FunctionNames names = nested_names(block);
    const std::string step = names.locals.add("step");
    name_in_step(names, node, block, step, carries);
    line(step_head(block, step));
    write_nested(block.step(), std::move(names));
    for (const std::string& carry : carries) line("  " + carry + ".advance();");
    line("}");
  }

  // The buffers of a carry take turns, so that the last step writes the output of the loop.
  std::string declare_carry(const Block& block, size_t k, ValueId first, ValueId last) {
    const Graph& step = block.step().graph;
    const std::string name = names_.locals.add(step.value(step.inputs()[k]).name + ".carry");
    std::string next = tensor(last) + ".data";
    std::string spare = block.steps > 1 ? place(last, block.offset + block.spares[k]) : "nullptr";
    if (block.steps % 2 == 0) std::swap(next, spare);
    line("Carry<" + type_name(graph().value(last).dtype) + "> " + name + "{" + tensor(first) +
         ".data, " + next + ", " + spare + "};");
    snippets_.insert("steps");
    return name;
  }

  // Adds the inputs and outputs of a step.
  void name_in_step(FunctionNames& names, size_t node, const Block& block, const std::string& step,
                    const std::vector<std::string>& carries) {
    const Program& body = block.step();
    const std::vector<bool> read = values_read(body);
    const auto element = [&](ValueId of, ValueId id) {
      const int64_t size = element_count(body.dims_of(id));
      return tensor(of) + ".data + " + step + (size == 1 ? "" : " * " + std::to_string(size));
    };
    for (size_t i = 0; i < body.graph.inputs().size(); ++i) {
      const ValueId outside = block.arguments[i], id = body.graph.inputs()[i];
      const StepInput input = step_input(block, i);
      std::string& pointer = names.inputs.emplace_back();
      std::string& declared = names.declared.emplace_back();
      if (input == StepInput::carry) pointer = carries[i] + ".now";
      if (input == StepInput::element && read[index(id)]) pointer = element(outside, id);
      if (input == StepInput::kept && read[index(id)]) declared = tensor(outside);
    }
    for (size_t k = 0; k < body.graph.outputs().size(); ++k) {
      const ValueId outside = program_.node(node).outputs[k];
      names.outputs.push_back(k < block.carries ? carries[k] + ".next"
                                                : element(outside, body.graph.outputs()[k].value));
    }
  }

  // The names for a body of the block, without its inputs and outputs.
  FunctionNames nested_names(const Block& block) const {
    return {.inputs = {},
            .outputs = {},
            .constants = names_.constants,
            .locals = names_.locals,
            .workspace = names_.workspace + block.offset,
            .indent = syntax_.indent + 2};
  }

  void write_nested(const Program& body, FunctionNames names) {
    const FunctionText text = function_text(body, std::move(names));
    body_ += text.body;
    snippets_.insert(text.snippets.begin(), text.snippets.end());
    if (text.pointers.contains("workspace")) pointer("workspace");
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
