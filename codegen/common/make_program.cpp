#include "codegen/common/make_program.hpp"

#include <algorithm>
#include <set>

#include "codegen/common/block.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/node_text.hpp"
#include "mithril/base/error.hpp"
#include "mithril/eval/memory_plan.hpp"
#include "mithril/eval/run_node.hpp"
#include "mithril/eval/size_sources.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

// The most formulas in one loop, for readability.
constexpr size_t most_in_loop = 12;

Plan plan_for(const Graph& graph, const std::vector<Dims>& dims) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < dims.size(); ++i) {
    const DType dtype = graph.value(graph.inputs()[i]).dtype;
    inputs.push_back(placeholder(dtype, dims[i]));
  }
  return make_plan(graph, SizeSources(graph), inputs);
}

bool has_type(const Language& language, DType dtype) {
  if (is_low_bit(dtype)) return false;
  if (language.has_type) return language.has_type(dtype);
  if (is_stored_only(dtype)) return language.name == "C++";
  return dtype != DType::float16 && dtype != DType::bfloat16;
}

void refuse_types(const Graph& graph, const Language& language) {
  for (const Value& value : graph.values()) {
    if (has_type(language, value.dtype)) continue;
    const bool has_doubles = has_type(language, DType::float64);
    raise({.kind = ErrorKind::backend,
           .code = "E1032",
           .path = value.name,
           .message = (language.name == "C++" ? "standard C++" : std::string(language.name)) +
                      " has no type for " + std::string(name(value.dtype)),
           .help = is_stored_only(value.dtype)
                       ? "cast it to " + std::string(name(widened(value.dtype)))
                       : std::string("compile for a backend of float32") +
                             (has_doubles ? " or float64" : "")});
  }
}

class ProgramBuilder {
 public:
  ProgramBuilder(SourceProgram& program, const Language& language)
      : program_(program),
        language_(language),
        statement_of_(program.graph.values().size(), none),
        root_(program.graph.values().size()) {}

  void make() {
    for (size_t i = 0; i < root_.size(); ++i) root_[i] = static_cast<ValueId>(i);
    const size_t nodes = program_.plan.nodes.size();
    program_.reads.resize(nodes);
    for (size_t i = 0; i < nodes; ++i) kinds_.push_back(kind_of(i));
    if (!program_.refused.empty()) return;
    const std::vector<bool> needed = needed_nodes();
    for (size_t i = 0; i < nodes; ++i) {
      if (needed[i]) add(i);
    }
    assign_buffers();
  }

 private:
  static constexpr size_t none = SIZE_MAX;

  const PlannedNode& planned(size_t node) const { return program_.plan.nodes[node]; }

  template <typename Visit>
  void each_read(size_t node, Visit visit) const {
    for (const ValueId id : program_.reads[node]) visit(id);
  }

  // Lists the tensors that the node reads. A formula may leave out arguments of which only the
  // shape is used.
  StatementKind kind_of(size_t node) {
    const OpDef& op = *program_.node(node).op;
    std::vector<ValueId>& reads = program_.reads[node];
    const auto element = [&](ValueId id) {
      reads.push_back(id);
      return std::string("x");
    };
    if (!op.keeps_elements && node_formula(program_.graph, node, planned(node), language_, element))
      return StatementKind::loop;
    reads.clear();
    for (const int32_t at : planned(node).tensors) {
      if (at >= 0) reads.push_back(static_cast<ValueId>(at));
    }
    if (op.keeps_elements) {
      reads.resize(1);
      const DType made = program_.graph.value(program_.node(node).outputs.front()).dtype;
      return program_.graph.value(reads.front()).dtype == made ? StatementKind::view
                                                               : StatementKind::copy;
    }
    if (reads.empty()) return StatementKind::constant;
    if (has_nested_graphs(program_.node(node)) && language_.has_blocks) {
      program_.blocks.emplace(
          node, make_block(program_, node, [&](const Graph& body, const std::vector<Dims>& dims) {
            return make_program(body, dims, language_);
          }));
      reads = block_reads(program_.blocks.at(node));
      return StatementKind::block;
    }
    if (!language_.has_kernel(op.name) || !has_arguments(node)) program_.refused.push_back(node);
    return StatementKind::kernel;
  }

  // The nodes on which an output depends.
  std::vector<bool> needed_nodes() const {
    std::vector<bool> needed(kinds_.size()), read(root_.size());
    for (const Output& output : program_.graph.outputs()) read[index(output.value)] = true;
    for (size_t i = needed.size(); i-- > 0;) {
      for (const ValueId id : program_.node(i).outputs) needed[i] = needed[i] || read[index(id)];
      if (needed[i]) each_read(i, [&](ValueId id) { read[index(id)] = true; });
    }
    return needed;
  }

  // Kernels take numbers, tuples of numbers, words and None. The tensors imply dtype arguments.
  bool has_arguments(size_t node) const {
    constexpr Kinds taken = kind::number | kind::none | kind::tuple | kind::dtype;
    const auto& values = planned(node).values;
    return std::all_of(values.begin(), values.end(),
                       [](const Datum& value) { return value.kind() & taken || is_word(value); });
  }

  void add(size_t node) {
    const StatementKind kind = kinds_[node];
    if (kind == StatementKind::constant) return compute(node);
    const auto& outputs = program_.node(node).outputs;
    if (kind == StatementKind::view)
      root_[index(outputs.front())] = root_[index(program_.reads[node].front())];
    const size_t at = kind == StatementKind::loop ? loop_for(node) : program_.statements.size();
    if (at == program_.statements.size()) program_.statements.push_back({kind, {}});
    program_.statements[at].nodes.push_back(node);
    for (const ValueId id : outputs) statement_of_[index(id)] = at;
  }

  void compute(size_t node) {
    Values values(program_.graph.values().size());
    run_node(planned(node), program_.graph, values);
    for (const ValueId id : program_.node(node).outputs)
      program_.constants[index(id)] = values[index(id)];
  }

  // The last statement that makes an input of the node, if it is a loop over the same dims with
  // space left; otherwise a new one. All inputs of the node are made before it, and all its
  // consumers come later.
  size_t loop_for(size_t node) const {
    size_t last = none;
    each_read(node, [&](ValueId id) {
      const size_t at = statement_of_[index(id)];
      if (at != none && (last == none || at > last)) last = at;
    });
    const size_t fresh = program_.statements.size();
    if (last == none) return fresh;
    const Statement& loop = program_.statements[last];
    if (loop.kind != StatementKind::loop || loop.nodes.size() >= most_in_loop) return fresh;
    const Dims& dims = program_.dims_of(program_.node(loop.nodes.front()).outputs.front());
    if (dims != program_.dims_of(program_.node(node).outputs.front())) return fresh;
    return reads_elementwise(node, last, dims) && has_operands(node, last) ? last : fresh;
  }

  // Whether the node reads each value that the loop makes at the same element.
  bool reads_elementwise(size_t node, size_t loop, const Dims& dims) const {
    bool fits = true;
    each_read(node, [&](ValueId id) {
      if (statement_of_[index(id)] == loop && program_.dims_of(id) != dims) fits = false;
    });
    return fits;
  }

  // Whether the loop has operands left for the node. Each node may write one.
  bool has_operands(size_t node, size_t loop) const {
    if (language_.most_operands == 0) return true;
    std::vector<size_t> nodes = program_.statements[loop].nodes;
    nodes.push_back(node);
    std::set<ValueId> read;
    for (const size_t reader : nodes) {
      each_read(reader, [&](ValueId id) {
        if (statement_of_[index(id)] != loop) read.insert(id);
      });
    }
    return read.size() + nodes.size() <= language_.most_operands;
  }

  void assign_buffers() {
    program_.buffers.resize(program_.graph.values().size());
    for (size_t i = 0; i < program_.graph.inputs().size(); ++i)
      buffer_of(program_.graph.inputs()[i]) = {.kind = BufferRef::Kind::input, .index = i};
    for (size_t i = 0; i < program_.constants.size(); ++i) {
      if (program_.constants[i])
        program_.buffers[i] = {.kind = BufferRef::Kind::constant, .index = i};
    }
    place_outputs();
    place_in_workspace();
    for (size_t i = 0; i < root_.size(); ++i)
      program_.buffers[i] = program_.buffers[index(root_[i])];
  }

  BufferRef& buffer_of(ValueId id) { return program_.buffers[index(id)]; }

  // Makes values directly in the buffers of outputs, where possible. If a value is several outputs,
  // the first is used.
  void place_outputs() {
    const auto& outputs = program_.graph.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const ValueId root = root_[index(outputs[i].value)];
      if (buffer_of(root).kind == BufferRef::Kind::loop_local) {
        buffer_of(root) = {.kind = BufferRef::Kind::output, .index = i};
      } else {
        program_.copied.push_back(i);
      }
    }
  }

  void place_in_workspace() {
    std::vector<LiveRange> live_ranges;
    std::vector<ValueId> living;
    std::vector<size_t> at(root_.size(), none);
    const auto live = [&](ValueId id, size_t statement) {
      const ValueId root = root_[index(id)];
      if (buffer_of(root).kind != BufferRef::Kind::loop_local) return;
      size_t& own = at[index(root)];
      if (own == none) {
        own = live_ranges.size();
        living.push_back(root);
        live_ranges.push_back({.bytes = bytes_of(root), .first = static_cast<int32_t>(statement)});
      }
      live_ranges[own].last = static_cast<int32_t>(statement);
    };
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      for (const size_t node : program_.statements[s].nodes) {
        each_read(node, [&](ValueId id) {
          if (!is_inside(id, s)) live(id, s);
        });
        for (const ValueId id : program_.node(node).outputs) {
          if (is_needed(id, s)) live(id, s);
        }
      }
    }
    const std::vector<Block*> blocks = add_blocks(live_ranges);
    const MemoryPlan plan = plan_memory(live_ranges);
    program_.workspace_bytes = plan.bytes;
    for (size_t i = 0; i < living.size(); ++i) {
      buffer_of(living[i]) = {.kind = BufferRef::Kind::workspace, .offset = plan.offsets[i]};
    }
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i]->offset = plan.offsets[living.size() + i];
  }

  // Blocks use their memory within one statement.
  std::vector<Block*> add_blocks(std::vector<LiveRange>& live_ranges) {
    std::vector<Block*> blocks;
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      if (program_.statements[s].kind != StatementKind::block) continue;
      blocks.push_back(&program_.blocks.at(program_.statements[s].nodes.front()));
      const auto at = static_cast<int32_t>(s);
      live_ranges.push_back({.bytes = blocks.back()->bytes, .first = at, .last = at});
    }
    return blocks;
  }

  int64_t bytes_of(ValueId id) const {
    return element_count(program_.dims_of(id)) *
           static_cast<int64_t>(size_of(program_.graph.value(id).dtype));
  }

  bool is_inside(ValueId id, size_t statement) const {
    return program_.statements[statement].kind == StatementKind::loop &&
           statement_of_[index(id)] == statement;
  }

  // Whether another statement reads the value. Kernels write all their outputs.
  bool is_needed(ValueId id, size_t statement) const {
    if (program_.statements[statement].kind != StatementKind::loop) return true;
    return readers_outside()[index(id)];
  }

  const std::vector<bool>& readers_outside() const {
    if (!readers_outside_.empty()) return readers_outside_;
    readers_outside_.resize(root_.size());
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      for (const size_t node : program_.statements[s].nodes) {
        each_read(node, [&](ValueId id) {
          if (statement_of_[index(id)] != s) readers_outside_[index(id)] = true;
        });
      }
    }
    for (const Output& output : program_.graph.outputs())
      readers_outside_[index(output.value)] = true;
    return readers_outside_;
  }

  SourceProgram& program_;
  const Language& language_;
  std::vector<StatementKind> kinds_;  // per node
  std::vector<size_t> statement_of_;  // per value; none: an input or a constant
  std::vector<ValueId> root_;         // per value: the source if it is a view, otherwise the value
  mutable std::vector<bool> readers_outside_;
};

}  // namespace

SourceProgram make_program(const Graph& graph, const std::vector<Dims>& inputs,
                           const Language& language) {
  refuse_types(graph, language);
  SourceProgram program{.graph = graph, .plan = plan_for(graph, inputs)};
  program.dims.resize(graph.values().size());
  program.constants.resize(graph.values().size());
  const std::vector<const Dims*> dims = program.plan.dims_of_values(program.graph);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i]) program.dims[i] = *dims[i];
  }
  for (const Constant& constant : graph.constants())
    program.constants[index(constant.value)] = constant.tensor.host();
  ProgramBuilder(program, language).make();
  return program;
}

}  // namespace mithril::codegen
