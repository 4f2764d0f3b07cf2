#include "codegen/javascript/wide_ints.hpp"

#include <algorithm>

#include "codegen/common/node_text.hpp"

namespace mithril::codegen {
namespace {

constexpr int64_t exact_limit = int64_t{1} << 53;

bool is_single_int(const SourceProgram& program, ValueId id) {
  return program.graph.value(id).dtype == DType::int64 && element_count(program.dims_of(id)) == 1;
}

class WideInts {
 public:
  WideInts(const SourceProgram& program, const Language& language)
      : program_(program), language_(language), is_wide_(program.graph.values().size()) {}

  // `inputs`: per input of the graph; empty: single ints.
  std::vector<bool> find(const std::vector<bool>& inputs) {
    if (!language_.numbers_are_doubles) return std::move(is_wide_);
    for (size_t i = 0; i < program_.graph.inputs().size(); ++i) {
      const ValueId id = program_.graph.inputs()[i];
      is_wide_[index(id)] = inputs.empty() ? is_single(id) : inputs[i];
    }
    for (size_t i = 0; i < is_wide_.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (program_.constants[i] && is_single(id)) is_wide_[i] = is_large(*program_.constants[i]);
    }
    for (const Statement& statement : program_.statements) {
      for (const size_t node : statement.nodes) add(statement.kind, node);
    }
    return std::move(is_wide_);
  }

 private:
  bool is_single(ValueId id) const { return is_single_int(program_, id); }

  static bool is_large(const Tensor& tensor) {
    const int64_t number = tensor.data<int64_t>()[0];
    return number > exact_limit || number < -exact_limit;
  }

  // Kernels take and make numbers.
  void add(StatementKind kind, size_t node) {
    if (kind == StatementKind::block) return add_block(node);
    if (kind != StatementKind::loop && kind != StatementKind::view) return;
    const ValueId made = program_.node(node).outputs.front();
    const std::vector<ValueId>& reads = program_.reads[node];
    const bool reads_wide =
        std::any_of(reads.begin(), reads.end(), [&](ValueId id) { return is_wide_[index(id)]; });
    if (!reads_wide || !is_single(made)) return;
    is_wide_[index(made)] = kind == StatementKind::view || has_formula(node);
  }

  void add_block(size_t node) {
    const Block& block = program_.blocks.at(node);
    std::vector<bool> arguments;
    for (const ValueId id : block.arguments) arguments.push_back(is_wide_[index(id)]);
    const std::vector<ValueId>& outputs = program_.node(node).outputs;
    if (block.bodies.empty()) {
      for (size_t k = 0; k < block.carries; ++k) is_wide_[index(outputs[k])] = arguments[k];
      return;
    }
    const auto in_bodies = wide_ints_of_bodies(block, arguments, language_);
    const bool is_choice = block.kind == BlockKind::choice;
    const size_t first = is_choice ? 0 : block.bodies.size() - 1;
    const size_t count = is_choice ? outputs.size() : block.carries;
    for (size_t k = 0; k < count; ++k) {
      for (size_t body = first; body < block.bodies.size(); ++body) {
        const ValueId made = block.bodies[body].graph.outputs()[k].value;
        if (in_bodies[body][index(made)]) is_wide_[index(outputs[k])] = true;
      }
    }
  }

  bool has_formula(size_t node) const {
    return node_formula(
               program_.graph, node, program_.plan.nodes[node], language_,
               [](ValueId) { return std::string("x"); }, true)
        .has_value();
  }

  const SourceProgram& program_;
  const Language& language_;
  std::vector<bool> is_wide_;
};

}  // namespace

std::vector<bool> wide_ints(const SourceProgram& program, const Language& language) {
  return WideInts(program, language).find({});
}

std::vector<std::vector<bool>> wide_ints_of_bodies(const Block& block,
                                                   const std::vector<bool>& arguments,
                                                   const Language& language) {
  std::vector<bool> inputs = arguments;
  for (size_t k = 0; k < block.carries; ++k)
    inputs[k] = is_single_int(block.step(), block.step().graph.inputs()[k]);
  for (bool agree = false; !agree;) {
    const std::vector<bool> found = WideInts(block.step(), language).find(inputs);
    agree = true;
    for (size_t k = 0; k < block.carries; ++k) {
      if (!inputs[k] || found[index(block.step().graph.outputs()[k].value)]) continue;
      inputs[k] = agree = false;
    }
  }
  std::vector<std::vector<bool>> wide;
  for (const SourceProgram& body : block.bodies)
    wide.push_back(WideInts(body, language).find(inputs));
  return wide;
}

}  // namespace mithril::codegen
