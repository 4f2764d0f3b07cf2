// einsum: sums of products of tensors, by Einstein's notation.
#include <algorithm>
#include <map>
#include <optional>

#include "mithril/ops/support/contraction.hpp"
#include "mithril/ops/support/joining.hpp"
#include "mithril/ops/support/op_work.hpp"
#include "mithril/ops/support/subscripts.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::string operand_text(int k, const Subscripts& subscripts) {
  return "operand " + std::to_string(k) + ", '" + subscripts.text() + "'";
}

class EinsumShapes {
 public:
  EinsumShapes(Solver& s, const Equation& equation) : s_(s), equation_(equation) {}

  bool run() {
    const auto count = static_cast<int>(equation_.operands.size());
    for (int k = 0; k < count; ++k) read_dots(k);
    bool known = true;
    for (int k = 0; k < count; ++k) {
      const Subscripts& each = equation_.operands[static_cast<size_t>(k)];
      known = state("input", each, k) && known;
    }
    return state("output", equation_.output, 0) && known;
  }

 private:
  // The axes of the ellipsis, which are the same for all operands.
  void read_dots(int k) {
    const Subscripts& each = equation_.operands[static_cast<size_t>(k)];
    std::vector<Dim> dims;
    if (!s_.shape("input", dims, k)) return;
    const size_t named = each.letters().size();
    if (dims.size() < named || (!each.has_dots && dims.size() > named)) {
      s_.reject(operand_text(k, each) + ": the number of axes differs",
                std::to_string(named) + (each.has_dots ? " axes or more" : " axes"),
                to_string(dims), ErrorKind::shape);
    }
    if (!each.has_dots) return;
    if (!dots_) dots_ = fresh_dims(s_, dims.size() - named);
    if (dots_->size() == dims.size() - named) return;
    s_.reject(operand_text(k, each) + ": '...' stands for another number of axes than before",
              std::to_string(dots_->size()), std::to_string(dims.size() - named), ErrorKind::shape);
  }

  const Dim& size_of(char letter) {
    const auto found = sizes_.find(letter);
    return found != sizes_.end() ? found->second : sizes_.emplace(letter, s_.fresh()).first->second;
  }

  bool state(std::string_view port, const Subscripts& subscripts, int k) {
    if (subscripts.has_dots && !dots_) return false;
    std::vector<Dim> dims, known;
    for (const char letter : subscripts.before) dims.push_back(size_of(letter));
    if (subscripts.has_dots) dims.insert(dims.end(), dots_->begin(), dots_->end());
    for (const char letter : subscripts.after) dims.push_back(size_of(letter));
    if (port == "input" && s_.shape(port, known, k)) check(k, subscripts, dims, known);
    s_.set_shape(port, dims, k);
    return true;
  }

  void check(int k, const Subscripts& subscripts, const std::vector<Dim>& dims,
             const std::vector<Dim>& known) {
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const Dim expected = resolve(dims[axis]), got = resolve(known[axis]);
      if (expected.is_constant() && got.is_constant() && expected.constant() != got.constant()) {
        s_.reject(operand_text(k, subscripts) + ": the size of axis " + std::to_string(axis) +
                      " differs from that of an operand before",
                  to_string(expected), to_string(got), ErrorKind::shape);
      }
      s_.same(dims[axis], known[axis]);
    }
  }

  Solver& s_;
  const Equation& equation_;
  std::map<char, Dim> sizes_;
  std::optional<std::vector<Dim>> dots_;
};

bool solve_einsum(Solver& s) {
  s.kind("output");
  const bool typed = solve_widest(s);
  const Datum* text = s.value("equation");
  if (!text) return false;
  Equation equation;
  if (const auto fault = parse_equation(text->text(), equation))
    s.reject(fault->message, fault->expected, fault->got);
  const size_t count = equation.operands.size();
  if (static_cast<size_t>(s.count("input")) != count) {
    s.reject("the equation has another number of operands",
             std::to_string(count) + (count == 1 ? " tensor" : " tensors"),
             std::to_string(s.count("input")));
  }
  return EinsumShapes(s, equation).run() && typed;
}

// Each combination of indices takes a multiplication per operand but one, and an addition.
std::optional<int64_t> operations_of_einsum(const OpTensors& tensors) {
  Equation equation;
  if (!tensors.last_value || parse_equation(tensors.last_value->text(), equation)) return {};
  const size_t operands = equation.operands.size();
  if (operands > tensors.inputs.size()) return {};
  std::map<char, int64_t> sizes;
  int64_t dots = 1;
  for (size_t k = 0; k < operands; ++k) {
    const Dims* dims = tensors.inputs[k];
    if (!dims) return {};
    const Subscripts& letters = equation.operands[k];
    for (size_t i = 0; i < letters.before.size(); ++i)
      sizes[letters.before[i]] = axis_from_end(dims, dims->size() - 1 - i);
    for (size_t i = 0; i < letters.after.size(); ++i)
      sizes[letters.after[i]] = axis_from_end(dims, letters.after.size() - 1 - i);
    int64_t named = 1;
    for (const char letter : letters.letters()) named = count_product(named, sizes[letter]);
    if (letters.has_dots && named > 0) dots = std::max(dots, counted_elements(*dims) / named);
  }
  int64_t indices = dots;
  for (const auto& [letter, size] : sizes) indices = count_product(indices, size);
  return count_product(static_cast<int64_t>(operands), indices);
}

}  // namespace

OpDef define_einsum() {
  return {
      .name = "einsum",
      .doc =
          "Sums of products of tensors in Einstein notation, as numpy.einsum and torch.einsum: "
          "\"bij,bjk->bik\" multiplies matrices. Each letter names an axis. Letters that are not "
          "in the output are summed over, and a letter that occurs twice in a tensor takes its "
          "diagonal. '...' stands for any number of axes, the same for all tensors. Without an "
          "arrow, the output has the letters that occur once, in alphabetical order. Tensors are "
          "multiplied from left to right.",
      .inputs = {list("input", "*each", "number"), value("equation", "str")},
      .outputs = {{"output", "*o", "number"}},
      .solve = solve_einsum,
      .expand = expand_contraction,
      .cast = CastPolicy::lower,
      .work = {.operations = operations_of_einsum},
  };
}

}  // namespace mithril
