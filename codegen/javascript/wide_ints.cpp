#include "codegen/javascript/wide_ints.hpp"

#include <algorithm>

#include "codegen/common/node_text.hpp"

namespace mithril::codegen {
namespace {

constexpr int64_t exact_limit = int64_t{1} << 53;

class WideInts {
 public:
  WideInts(const Program& program, const Language& language)
      : program_(program), language_(language), is_wide_(program.graph.values().size()) {}

  std::vector<bool> find() {
    if (!language_.numbers_are_doubles) return std::move(is_wide_);
    for (const ValueId id : program_.graph.inputs()) is_wide_[index(id)] = is_single(id);
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
  bool is_single(ValueId id) const {
    return program_.graph.value(id).dtype == DType::int64 &&
           element_count(program_.dims_of(id)) == 1;
  }

  static bool is_large(const Tensor& tensor) {
    const int64_t number = tensor.data<int64_t>()[0];
    return number > exact_limit || number < -exact_limit;
  }

  // Kernels take and make numbers.
  void add(StatementKind kind, size_t node) {
    if (kind != StatementKind::loop && kind != StatementKind::view) return;
    const ValueId made = program_.node(node).outputs.front();
    const std::vector<ValueId>& reads = program_.reads[node];
    const bool reads_wide =
        std::any_of(reads.begin(), reads.end(), [&](ValueId id) { return is_wide_[index(id)]; });
    if (!reads_wide || !is_single(made)) return;
    is_wide_[index(made)] = kind == StatementKind::view || has_formula(node);
  }

  bool has_formula(size_t node) const {
    return node_formula(
               program_.graph, node, program_.plan.nodes[node], language_,
               [](ValueId) { return std::string("x"); }, true)
        .has_value();
  }

  const Program& program_;
  const Language& language_;
  std::vector<bool> is_wide_;
};

}  // namespace

std::vector<bool> wide_ints(const Program& program, const Language& language) {
  return WideInts(program, language).find();
}

}  // namespace mithril::codegen
