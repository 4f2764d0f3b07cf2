#include "codegen/common/statement_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/common/code_line.hpp"
#include "codegen/common/loop_text.hpp"
#include "codegen/common/node_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {

void StatementWriter::write_statements() {
  for (const Statement& statement : program_.statements) write(statement);
  for (const size_t output : program_.copied)
    write_output_copy(output, graph().outputs()[output].value);
}

void StatementWriter::write(const Statement& statement) {
  const size_t node = statement.nodes.front();
  if (statement.kind == StatementKind::view) return write_view(node);
  begin_statement();
  switch (statement.kind) {
    case StatementKind::loop:
      return write_loop(statement);
    case StatementKind::copy:
      declare(made_by(statement));
      return write_copy(made_by(statement), program_.reads[node].front());
    case StatementKind::kernel:
      return write_call(node);
    case StatementKind::block:
      return write_block(node, program_.blocks.at(node));
    case StatementKind::view:
    case StatementKind::constant:
      return;
  }
}

void StatementWriter::write_block(size_t node, const Block& block) {
  MITHRIL_CHECK(language_.has_blocks, "no block of this language: " + program_.node(node).op->name);
  switch (block.kind) {
    case BlockKind::steps:
      return write_steps(node, block);
    case BlockKind::choice:
      return write_choice(node, block);
    case BlockKind::while_loop:
      return write_while(node, block);
  }
}

std::vector<std::string> StatementWriter::declare_carries(size_t node, const Block& block) {
  std::vector<std::string> carries;
  for (size_t k = 0; k < block.carries; ++k)
    carries.push_back(declare_carry(block, k, block.arguments[k], program_.node(node).outputs[k]));
  return carries;
}

std::string StatementWriter::step_head(const Block& block, const std::string& variable) const {
  const std::string_view head = block.reverse ? syntax_.reverse_head : syntax_.loop_head;
  return fmt::format(fmt::runtime(head), variable, block.steps, 1);
}

void StatementWriter::write_loop(const Statement& statement) {
  Loop loop{.result = made_by(statement)};
  std::vector<Dims> operand_dims;
  const auto add = [&](ValueId id) {
    if (!has_buffer(id) || std::ranges::find(loop.operands, id) != loop.operands.end()) return;
    loop.operands.push_back(id);
    operand_dims.push_back(program_.dims_of(id));
  };
  for (const size_t node : statement.nodes) {
    const ValueId made = program_.node(node).outputs.front();
    for (const ValueId id : program_.reads[node]) add(id);
    if (has_buffer(made)) declare(made);
    add(made);
  }
  const std::vector<std::string> names = begin_loop(loop);
  const LoopNest nest(program_.dims_of(loop.result), operand_dims);
  std::map<ValueId, std::string> locals;
  const auto element_of = [&](ValueId id) {
    const auto at = std::ranges::find(loop.operands, id);
    if (at == loop.operands.end()) return locals.at(id);
    const auto operand = static_cast<size_t>(at - loop.operands.begin());
    return element(names[operand], nest.index(operand));
  };
  const size_t axes = syntax_.loop_head.empty() ? 0 : nest.sizes().size();
  size_t indent = syntax_.loop_indent;
  int64_t within = element_count(program_.dims_of(loop.result));
  for (size_t axis = 0; axis < axes; ++axis) {
    within /= std::max<int64_t>(1, nest.sizes()[axis]);
    loop.body +=
        text_line(indent, fmt::format(fmt::runtime(syntax_.loop_head), LoopNest::variable(axis),
                                      nest.sizes()[axis], within));
    if (!syntax_.loop_end.empty()) indent += 2;
  }
  for (const size_t node : statement.nodes) {
    const ValueId made = program_.node(node).outputs.front();
    const std::optional<FormulaText> text = formula(node, element_of);
    MITHRIL_CHECK(text, "a formula is lost: " + graph().value(made).name);
    use(*text);
    std::string left;
    if (has_buffer(made)) {
      left = target(element_of(made));
    } else {
      locals[made] = loop_local(made);
      left = declarator(made) + locals[made];
    }
    loop.body += text_line(indent, this->statement(left + " = " + text->text));
  }
  while (indent > syntax_.loop_indent) loop.body += text_line(indent -= 2, syntax_.loop_end);
  end_loop(loop);
}

// Kernels take their outputs, and then an argument for each port.
void StatementWriter::write_call(size_t node) {
  const Node& at = program_.node(node);
  std::vector<std::string> arguments;
  for (const ValueId id : at.outputs) {
    declare(id);
    arguments.push_back(tensor(id));
  }
  if (at.op->list_output() >= 0) arguments = {list(arguments)};
  for (std::string& argument : arguments_of(node)) arguments.push_back(std::move(argument));
  line(statement(at.op->name + "(" + join(arguments, ", ") + ")"));
  snippets_.insert(at.op->name);
}

std::vector<std::string> StatementWriter::arguments_of(size_t node) {
  const Node& at = program_.node(node);
  std::vector<std::string> arguments;
  size_t next = 0;
  for (const PortDef& port : at.op->inputs) {
    if (!port.list) {
      arguments.push_back(argument(node, next++, port));
      continue;
    }
    std::vector<std::string> items;
    for (size_t k = 0; k < at.list_size(); ++k) items.push_back(argument(node, next++, port));
    arguments.push_back(list(items));
  }
  return arguments;
}

std::string StatementWriter::argument(size_t node, size_t at, const PortDef& port) {
  const int32_t id = planned(node).tensors[at];
  if (id >= 0) return tensor_argument(node, static_cast<ValueId>(id));
  return syntax_.argument(planned(node).values[at], port);
}

std::string StatementWriter::list(const std::vector<std::string>& items) const {
  return std::string(syntax_.list_begin) + join(items, ", ") + std::string(syntax_.list_end);
}

std::optional<FormulaText> StatementWriter::formula(
    size_t node, const std::function<std::string(ValueId)>& element) const {
  return node_formula(graph(), node, planned(node), language_, element);
}

std::string StatementWriter::text_line(size_t indent, std::string_view text) const {
  return code_line(indent, text);
}

const std::string& StatementWriter::name_of(ValueId id) const {
  const BufferRef& at = buffer(id);
  if (at.kind != BufferRef::Kind::output) return graph().value(id).name;
  const Output& output = graph().outputs()[at.index];
  return output.value == id ? output.name : graph().value(id).name;
}

}  // namespace mithril::codegen
