// Loops and choices as nested statements.
#include "codegen/common/block.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/cpp/function_writer.hpp"

namespace mithril::codegen {

void CppFunctionWriter::write_steps(size_t node, const Block& block) {
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
  const std::vector<std::string> carries = declare_carries(node, block);
  FunctionNames names = nested_names(block);
  const std::string step = names.locals.add("step");
  name_in_step(names, node, block, step, carries);
  line(step_head(block, step));
  write_nested(block.step(), std::move(names));
  for (const std::string& carry : carries) nested_line(carry + ".advance();");
  line("}");
}

void CppFunctionWriter::write_choice(size_t node, const Block& block) {
  const std::vector<ValueId>& made = program_.node(node).outputs;
  for (const ValueId id : made) declare(id);
  FunctionNames names = nested_names(block);
  for (const ValueId id : made) {
    names.outputs.push_back(tensor(id) + ".data");
    names.declared_outputs.push_back(tensor(id));
  }
  names.inputs.resize(block.arguments.size());
  names.declared = kept_variables(block);
  line("// " + block_comment(program_, node, block));
  line("if (" + tensor(*block.condition) + "[0]) {");
  write_nested(block.bodies[0], names);
  line("} else {");
  write_nested(block.bodies[1], names);
  line("}");
}

void CppFunctionWriter::write_while(size_t node, const Block& block) {
  const std::vector<ValueId>& made = program_.node(node).outputs;
  for (const ValueId id : made) declare(id);
  const std::string goes_on = declare_condition(block);
  line("// " + block_comment(program_, node, block));
  const std::vector<std::string> carries = declare_carries(node, block);
  line("while (true) {");
  FunctionNames names = nested_names(block);
  names.inputs.resize(block.arguments.size());
  names.declared = kept_variables(block);
  declare_values_of_carries(names, block, carries);
  FunctionNames condition = names;
  condition.outputs = {goes_on + ".data"};
  condition.declared_outputs = {goes_on};
  names.locals = write_nested(block.bodies.front(), std::move(condition));
  nested_line("if (!" + goes_on + "[0]) break;");
  body_ += "\n";
  for (const std::string& carry : carries) names.outputs.push_back(carry + ".next");
  write_nested(block.step(), std::move(names));
  for (const std::string& carry : carries) nested_line(carry + ".advance();");
  line("}");
  for (size_t k = 0; k < made.size(); ++k) {
    const std::string last = carries[k] + ".now", output = tensor(made[k]) + ".data";
    line("if (" + last + " != " + output + ") {");
    nested_line("copy(" + output + ", " + tensor_text(last, program_.dims_of(made[k])) + ");");
    line("}");
  }
}

std::string CppFunctionWriter::declare_condition(const Block& block) {
  const Graph& condition = block.bodies.front().graph;
  const Output& output = condition.outputs().front();
  const std::string variable = names_.locals.add(output.name);
  line(declaration(variable, tensor_text(place(DType::boolean, block.offset + block.goes_on), {}),
                   output.name, condition.value(output.value), {}));
  return variable;
}

void CppFunctionWriter::declare_values_of_carries(FunctionNames& names, const Block& block,
                                                  const std::vector<std::string>& carries) {
  const SourceProgram& step = block.step();
  const std::vector<bool> read = arguments_read(block);
  bool declares = false;
  for (size_t k = 0; k < carries.size(); ++k) {
    if (!read[k]) continue;
    declares = true;
    const ValueId id = step.graph.inputs()[k];
    const Value& value = step.graph.value(id);
    names.declared[k] = names.locals.add(value.name);
    nested_line(declaration(names.declared[k], tensor_text(carries[k] + ".now", step.dims_of(id)),
                            value.name, value, step.dims_of(id)));
  }
  if (declares) body_ += "\n";
}

std::vector<std::string> CppFunctionWriter::kept_variables(const Block& block) {
  const std::vector<bool> read = arguments_read(block);
  std::vector<std::string> variables(block.arguments.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    if (step_input(block, i) == StepInput::kept && read[i])
      variables[i] = tensor(block.arguments[i]);
  }
  return variables;
}

std::string CppFunctionWriter::declare_carry(const Block& block, size_t k, ValueId first,
                                             ValueId last) {
  const Graph& step = block.step().graph;
  const std::string name = names_.locals.add(step.value(step.inputs()[k]).name + ".carry");
  std::string next = tensor(last) + ".data";
  const bool is_single = block.kind == BlockKind::steps && block.steps == 1;
  std::string spare = is_single ? "nullptr" : place(last, block.offset + block.spares[k]);
  if (block.kind == BlockKind::steps && block.steps % 2 == 0) std::swap(next, spare);
  line("Carry<" + type_name(graph().value(last).dtype) + "> " + name + "{" + tensor(first) +
       ".data, " + next + ", " + spare + "};");
  snippets_.insert("steps");
  return name;
}

void CppFunctionWriter::name_in_step(FunctionNames& names, size_t node, const Block& block,
                                     const std::string& step,
                                     const std::vector<std::string>& carries) {
  const SourceProgram& body = block.step();
  const std::vector<bool> read = arguments_read(block);
  names.declared = kept_variables(block);
  const auto element = [&](ValueId of, ValueId id) {
    const int64_t size = element_count(body.dims_of(id));
    return tensor(of) + ".data + " + step + (size == 1 ? "" : " * " + std::to_string(size));
  };
  for (size_t i = 0; i < body.graph.inputs().size(); ++i) {
    const ValueId outside = block.arguments[i], id = body.graph.inputs()[i];
    const StepInput input = step_input(block, i);
    std::string& pointer = names.inputs.emplace_back();
    if (input == StepInput::carry) pointer = carries[i] + ".now";
    if (input == StepInput::element && read[i]) pointer = element(outside, id);
  }
  for (size_t k = 0; k < body.graph.outputs().size(); ++k) {
    const ValueId outside = program_.node(node).outputs[k];
    names.outputs.push_back(k < block.carries ? carries[k] + ".next"
                                              : element(outside, body.graph.outputs()[k].value));
  }
}

FunctionNames CppFunctionWriter::nested_names(const Block& block) const {
  return {.inputs = {},
          .outputs = {},
          .constants = names_.constants,
          .locals = names_.locals,
          .workspace = names_.workspace + block.offset,
          .indent = syntax_.indent + 2};
}

Identifiers CppFunctionWriter::write_nested(const SourceProgram& body, FunctionNames names) {
  FunctionText text = CppFunctionWriter(body, std::move(names)).write();
  body_ += text.body;
  snippets_.insert(text.snippets.begin(), text.snippets.end());
  if (text.pointers.contains("workspace")) pointer("workspace");
  return std::move(text.locals);
}

}  // namespace mithril::codegen
