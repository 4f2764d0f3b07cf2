// Loops and choices as nested statements.
#include "codegen/common/block.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/function_writer.hpp"
#include "codegen/javascript/wide_ints.hpp"

namespace mithril::codegen {

void JavaScriptFunctionWriter::write_steps(size_t node, const Block& block) {
  const std::vector<ValueId>& given = block.arguments;
  const std::vector<ValueId>& made = program_.node(node).outputs;
  line("// " + block_comment(program_, node, block));
  if (block.steps == 0) {
    for (size_t k = 0; k < block.carries; ++k) write_copy(made[k], given[k]);
    return;
  }
  const std::vector<std::string> carries = declare_carries(node, block);
  const std::string step = parts_.names.add("step");
  const NestedTensors tensors = tensors_in_step(node, block, step, carries);
  const std::vector<bool> wide = wide_ints_of(block).back();
  line(step_head(block, step));
  write_nested(block, block.step(), tensors, wide);
  for (const std::string& carry : carries) nested_line(carry + ".advance();");
  for (size_t k = block.carries; k < made.size(); ++k) {
    if (!wide[index(block.step().graph.outputs()[k].value)]) continue;
    nested_line("becomeNumbers(elementAt(BigInt64Array, " + tensor(made[k]) + ", " + step + "));");
  }
  line("}");
}

void JavaScriptFunctionWriter::write_choice(size_t node, const Block& block) {
  const std::vector<ValueId>& made = program_.node(node).outputs;
  NestedTensors tensors{.inputs = kept_tensors(block)};
  for (const ValueId id : made)
    tensors.outputs.push_back({.text = tensor(id), .is_variable = true});
  const std::vector<std::vector<bool>> wide = wide_ints_of(block);
  const std::string condition = tensor(*block.condition);
  line("// " + block_comment(program_, node, block));
  line("if (" + condition + ".data[0]) {");
  write_branch(made, block, 0, tensors, wide[0]);
  line("} else {");
  write_branch(made, block, 1, tensors, wide[1]);
  line("}");
}

void JavaScriptFunctionWriter::write_branch(const std::vector<ValueId>& made, const Block& block,
                                            size_t branch, NestedTensors tensors,
                                            const std::vector<bool>& wide) {
  const SourceProgram& body = block.bodies[branch];
  std::vector<std::string> converted;
  for (size_t k = 0; k < made.size(); ++k) {
    if (is_wide(made[k]) == wide[index(body.graph.outputs()[k].value)]) continue;
    tensors.outputs[k] = {.text = "numbersAt(" + tensor(made[k]) + ")"};
    converted.push_back(tensor(made[k]));
    snippets_.insert("steps");
  }
  write_nested(block, body, tensors, wide);
  for (const std::string& tensor : converted) nested_line("becomeBigInts(" + tensor + ");");
}

void JavaScriptFunctionWriter::write_while(size_t node, const Block& block) {
  const std::vector<ValueId>& made = program_.node(node).outputs;
  line("// " + block_comment(program_, node, block));
  const std::vector<std::string> carries = declare_carries(node, block);
  const std::string goes_on = declare_condition(block);
  NestedTensors tensors{.inputs = kept_tensors(block)};
  line("while (true) {");
  declare_values_of_carries(tensors, block, carries);
  const std::vector<std::vector<bool>> wide = wide_ints_of(block);
  NestedTensors condition = tensors;
  condition.outputs.push_back({.text = goes_on, .is_variable = true});
  write_nested(block, block.bodies.front(), condition, wide.front());
  nested_line("if (!" + goes_on + ".data[0]) break;");
  for (const std::string& carry : carries) tensors.outputs.push_back({.text = carry + ".next"});
  write_nested(block, block.step(), tensors, wide.back());
  for (const std::string& carry : carries) nested_line(carry + ".advance();");
  line("}");
  for (size_t k = 0; k < made.size(); ++k) {
    const std::string last = carries[k] + ".now", output = tensor(made[k]);
    line("if (" + last + " !== " + output + ") {");
    nested_line(copy_text(output, last, made[k], made[k]));
    line("}");
  }
}

std::string JavaScriptFunctionWriter::declare_condition(const Block& block) {
  const std::string name = parts_.names.add(block.bodies.front().graph.outputs().front().name);
  parts_.declarations += declared(name, javascript_array(DType::boolean, false),
                                  memory_.workspace + block.offset + block.goes_on, "", "  // []");
  return name;
}

void JavaScriptFunctionWriter::declare_values_of_carries(NestedTensors& tensors, const Block& block,
                                                         const std::vector<std::string>& carries) {
  const SourceProgram& step = block.step();
  const std::vector<bool> read = arguments_read(block);
  for (size_t k = 0; k < carries.size(); ++k) {
    if (!read[k]) continue;
    const ValueId id = step.graph.inputs()[k];
    const Value& value = step.graph.value(id);
    const std::string name = parts_.names.add(value.name);
    nested_line("const " + name + " = " + carries[k] + ".now;" +
                note_of(name, value.name, value, step.dims_of(id)));
    tensors.inputs[k] = {.text = name, .is_variable = true};
  }
}

std::vector<NestedTensor> JavaScriptFunctionWriter::kept_tensors(const Block& block) {
  const std::vector<bool> read = arguments_read(block);
  std::vector<NestedTensor> tensors(block.arguments.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (step_input(block, i) == StepInput::kept && read[i])
      tensors[i] = {.text = tensor(block.arguments[i]), .is_variable = true};
  }
  return tensors;
}

std::vector<std::vector<bool>> JavaScriptFunctionWriter::wide_ints_of(const Block& block) const {
  std::vector<bool> arguments;
  for (const ValueId id : block.arguments) arguments.push_back(is_wide(id));
  return wide_ints_of_bodies(block, arguments, language_);
}

std::string JavaScriptFunctionWriter::declare_carry(const Block& block, size_t k, ValueId first,
                                                    ValueId last) {
  const Graph& step = block.step().graph;
  const std::string name = parts_.names.add(step.value(step.inputs()[k]).name + ".carry");
  std::string now = tensor(first), next = tensor(last), spare = "null";
  if (is_wide(first) != is_wide(last))
    now = (is_wide(last) ? "bigIntsOf(" : "numbersOf(") + now + ")";
  const bool is_single = block.kind == BlockKind::steps && block.steps == 1;
  if (!is_single) {
    spare = parts_.names.add(name_of(last) + ".spare");
    const int64_t offset = memory_.workspace + block.offset + block.spares[k];
    parts_.declarations += declared(spare, array_of(last), offset, sizes_of(last), "");
  }
  if (block.kind == BlockKind::steps && block.steps % 2 == 0) std::swap(next, spare);
  line("const " + name + " = carryOf(" + now + ", " + next + ", " + spare + ");");
  snippets_.insert("steps");
  return name;
}

NestedTensors JavaScriptFunctionWriter::tensors_in_step(size_t node, const Block& block,
                                                        const std::string& step,
                                                        const std::vector<std::string>& carries) {
  const Graph& body = block.step().graph;
  const std::vector<bool> read = arguments_read(block);
  NestedTensors tensors{.inputs = kept_tensors(block)};
  for (size_t i = 0; i < body.inputs().size(); ++i) {
    const StepInput input = step_input(block, i);
    if (input == StepInput::carry) tensors.inputs[i].text = carries[i] + ".now";
    if (input == StepInput::element && read[i])
      tensors.inputs[i] = {.text = tensor(block.arguments[i]), .step = step};
  }
  for (size_t k = 0; k < body.outputs().size(); ++k) {
    if (k < block.carries)
      tensors.outputs.push_back({.text = carries[k] + ".next"});
    else
      tensors.outputs.push_back({.text = tensor(program_.node(node).outputs[k]), .step = step});
  }
  return tensors;
}

void JavaScriptFunctionWriter::write_nested(const Block& block, const SourceProgram& body,
                                            const NestedTensors& tensors,
                                            const std::vector<bool>& wide) {
  const ProgramMemory memory{.workspace = memory_.workspace + block.offset};
  body_ +=
      JavaScriptFunctionWriter(body, memory, parts_, wide, &tensors, syntax_.indent + 2).write();
}

}  // namespace mithril::codegen
