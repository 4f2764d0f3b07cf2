#include "backends/cpu/elementwise/program_builder.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/elementwise/instruction_order.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/integer_range.hpp"

namespace mithril::cpu_backend {
namespace {

using Kind = Formula::Kind;

template <typename T>
using Named = std::pair<std::string_view, T>;

// Null: the table has no such name.
template <typename T, size_t size>
const T* find(const Named<T> (&table)[size], std::string_view name) {
  const auto at =
      std::find_if(table, table + size, [&](const auto& it) { return it.first == name; });
  return at == table + size ? nullptr : &at->second;
}

constexpr Named<Operation> functions[] = {
    {"abs", Operation::abs},          {"cos", Operation::cos},     {"erf", Operation::erf},
    {"exp", Operation::exp},          {"expm1", Operation::expm1}, {"floor", Operation::floor},
    {"fma", Operation::multiply_add}, {"log", Operation::log},     {"log1p", Operation::log1p},
    {"max", Operation::maximum},      {"min", Operation::minimum}, {"rint", Operation::rint},
    {"sin", Operation::sin},          {"sqrt", Operation::sqrt},   {"tanh", Operation::tanh},
    {"trunc", Operation::trunc}};

// The operations of a comparison, as a value and as the condition of a choice. `swapped`: they take
// the operands in reverse order.
struct Comparison {
  Operation truth, choice;
  bool swapped = false;
};
constexpr Named<Comparison> comparisons[] = {
    {"<", {Operation::less, Operation::choose_less}},
    {"<=", {Operation::less_equal, Operation::choose_less_equal}},
    {">", {Operation::less, Operation::choose_less, true}},
    {">=", {Operation::less_equal, Operation::choose_less_equal, true}},
    {"==", {Operation::equal, Operation::choose_equal}},
    {"!=", {Operation::not_equal, Operation::choose_not_equal}}};

constexpr Named<Operation> signs[] = {
    {"+", Operation::add},    {"-", Operation::subtract},     {"*", Operation::multiply},
    {"/", Operation::divide}, {"&&", Operation::logical_and}, {"||", Operation::logical_or}};

bool is_truth(Operation operation) {
  using enum Operation;
  constexpr std::array truths = {logical_not, less,        less_equal, equal,
                                 not_equal,   logical_and, logical_or};
  return std::find(truths.begin(), truths.end(), operation) != truths.end();
}

bool has_kernel(DType dtype, Operation operation) {
  const auto at = static_cast<size_t>(operation);
  return dtype == DType::float32 ? elementwise_kernels<float>().operations[at].one != nullptr
                                 : elementwise_kernels<double>().operations[at].one != nullptr;
}

// Thrown if a formula needs an operation that has no kernel.
struct NotElementwise {};

// An operand before slots are numbered, which requires the numbers of inputs and constants.
enum class Held : uint8_t { input, constant, made };
struct ProgramOperand {
  Held held;
  int16_t index;
  auto operator<=>(const ProgramOperand&) const = default;
};

class ProgramBuilder {
 public:
  ProgramBuilder(const ShapedGraph& shaped, DType dtype, const Dims& dims) : shaped_(shaped) {
    program_.dtype = dtype;
    program_.dims = dims;
  }

  void add(size_t node) {
    node_ = &shaped_.node(node);
    planned_ = &shaped_.planned(node);
    ProgramOperand result = write(*formula_of(*node_->op));
    const ValueId made = node_->outputs.front();
    if (is_integer(shaped_.dtype(made))) result = as_integer(result, shaped_.dtype(made));
    if (shaped_.dtype(made) == DType::boolean && !truths_.contains(result)) {
      result = operation(Operation::not_equal, {result, constant(0)});
    }
    if (shaped_.dtype(made) == DType::boolean) truths_.insert(result);
    values_[made] = result;
  }

  ElementwiseProgram finish(std::span<const ValueId> kept) {
    std::set<ProgramOperand> kept_so_far;
    for (const ValueId id : kept) {
      ProgramOperand& result = values_.at(id);
      // Each output needs its own instruction, so inputs, constants and repeated outputs are
      // copied.
      if (result.held != Held::made || !kept_so_far.insert(result).second) {
        result = append(Operation::copy, {result});
      }
    }
    for (size_t i = 0; i < written_.size(); ++i) {
      Instruction instruction{written_[i].operation, slot(made(i)), {}};
      instruction.from.fill(no_slot);
      std::transform(written_[i].from.begin(), written_[i].from.end(), instruction.from.begin(),
                     [&](ProgramOperand operand) { return slot(operand); });
      program_.instructions.push_back(instruction);
    }
    for (const ValueId id : kept) program_.outputs.push_back({id, slot(values_.at(id))});
    program_.slots = static_cast<Slot>(program_.first_made() + static_cast<Slot>(written_.size()));
    program_.instructions = in_dependency_order(program_);
    return std::move(program_);
  }

 private:
  struct Written {
    Operation operation;
    std::vector<ProgramOperand> from;
  };

  static ProgramOperand made(size_t instruction) {
    return {Held::made, static_cast<int16_t>(instruction)};
  }

  Slot slot(ProgramOperand operand) const {
    const auto inputs = static_cast<Slot>(program_.inputs.size());
    if (operand.held == Held::input) return operand.index;
    if (operand.held == Held::constant) return static_cast<Slot>(inputs + operand.index);
    return static_cast<Slot>(program_.first_made() + operand.index);
  }

  ProgramOperand write(const Formula& formula) {
    switch (formula.kind) {
      case Kind::port:
        return port(formula.text);
      case Kind::number:
        return constant(formula.number);
      case Kind::call:
        return call(formula);
      case Kind::unary:
        return unary(formula);
      case Kind::binary:
        return binary(formula);
      case Kind::is_none:
        return constant(is_none(formula.text));
      case Kind::choice:
        return choice(formula);
      case Kind::unsupported:
        break;
    }
    throw NotElementwise();
  }

  ProgramOperand port(const std::string& name) {
    const size_t at = node_->argument_index(name);
    const int32_t tensor = planned_->tensors[at];
    if (tensor >= 0) return value(static_cast<ValueId>(tensor));
    const Datum& datum = planned_->values[at];
    if (datum.kind() == kind::bool_value) return constant(datum.flag());
    if (datum.kind() == kind::int_value) return constant(static_cast<double>(datum.integer()));
    if (datum.kind() == kind::float_value) return constant(datum.real());
    throw NotElementwise();
  }

  bool is_none(const std::string& name) const {
    const size_t at = node_->argument_index(name);
    return planned_->tensors[at] < 0 && planned_->values[at].is_none();
  }

  ProgramOperand value(ValueId id) {
    const auto known = values_.find(id);
    if (known != values_.end()) return known->second;
    const ProgramOperand input{Held::input, static_cast<int16_t>(program_.inputs.size())};
    program_.inputs.push_back(id);
    if (shaped_.dtype(id) == DType::boolean) truths_.insert(input);
    return values_[id] = input;
  }

  ProgramOperand constant(double number) {
    const auto same = [&](double known) {
      return known == number && std::signbit(known) == std::signbit(number);
    };
    auto at = std::find_if(program_.constants.begin(), program_.constants.end(), same);
    if (at == program_.constants.end()) at = program_.constants.insert(at, number);
    return {Held::constant, static_cast<int16_t>(at - program_.constants.begin())};
  }

  const double* number_of(ProgramOperand operand) const {
    if (operand.held != Held::constant) return nullptr;
    return &program_.constants[static_cast<size_t>(operand.index)];
  }

  // Reuses the result of the same operation on the same operands.
  ProgramOperand operation(Operation operation, const std::vector<ProgramOperand>& from) {
    if (!has_kernel(program_.dtype, operation)) throw NotElementwise();
    for (size_t i = 0; i < written_.size(); ++i) {
      if (written_[i].operation == operation && written_[i].from == from) return made(i);
    }
    const ProgramOperand result = append(operation, from);
    if (is_truth(operation)) truths_.insert(result);
    return result;
  }

  ProgramOperand append(Operation operation, const std::vector<ProgramOperand>& from) {
    written_.push_back({operation, from});
    return made(written_.size() - 1);
  }

  // Truncates as a cast to the integer dtype does. A number out of its range gives the lowest
  // number of the dtype (tensor/convert.hpp).
  ProgramOperand as_integer(ProgramOperand number, DType dtype) {
    const IntegerRange range = integer_range(dtype);
    const ProgramOperand least = constant(range.least), above = constant(range.above);
    const ProgramOperand cut = operation(Operation::trunc, {number});
    const ProgramOperand held = operation(Operation::choose_less, {cut, above, cut, least});
    const ProgramOperand fitting = operation(Operation::greater, {held, least});
    // Integers have no -0. The maximum with 0 has removed that of unsigned dtypes.
    return is_unsigned(dtype) ? fitting : operation(Operation::add, {fitting, constant(0)});
  }

  ProgramOperand call(const Formula& formula) {
    std::vector<ProgramOperand> operands;
    for (const Formula& argument : formula.children) operands.push_back(write(argument));
    if (formula.text == "T") return operands[0];
    if (formula.text == "pow") return power(operands[0], operands[1]);
    const Operation* function = find(functions, formula.text);
    if (!function) throw NotElementwise();
    return operation(*function, operands);
  }

  ProgramOperand power(ProgramOperand base, ProgramOperand exponent) {
    const double* number = number_of(exponent);
    if (!number || *number != 2) throw NotElementwise();
    return operation(Operation::multiply, {base, base});
  }

  ProgramOperand unary(const Formula& formula) {
    const ProgramOperand operand = write(formula.children.front());
    const double* number = number_of(operand);
    if (formula.text == "!") return operation(Operation::logical_not, {operand});
    return number ? constant(-*number) : operation(Operation::negate, {operand});
  }

  ProgramOperand binary(const Formula& formula) {
    const Comparison* by = find(comparisons, formula.text);
    const Operation* sign = find(signs, formula.text);
    if (!by && !sign) throw NotElementwise();
    const ProgramOperand left = write(formula.children[0]), right = write(formula.children[1]);
    if (sign) return arithmetic(*sign, left, right);
    return by->swapped ? operation(by->truth, {right, left}) : operation(by->truth, {left, right});
  }

  // Divides by a power of two through its reciprocal, which is exact: a multiplication is much
  // faster.
  ProgramOperand arithmetic(Operation sign, ProgramOperand left, ProgramOperand right) {
    const double* number = number_of(right);
    int exponent = 0;
    if (sign == Operation::divide && number && std::frexp(*number, &exponent) == 0.5 &&
        std::abs(exponent) < 64) {
      return operation(Operation::multiply, {left, constant(1 / *number)});
    }
    return operation(sign, {left, right});
  }

  ProgramOperand choice(const Formula& formula) {
    const Formula &condition = formula.children[0], &then = formula.children[1],
                  &otherwise = formula.children[2];
    const Comparison* comparison =
        condition.kind == Kind::binary ? find(comparisons, condition.text) : nullptr;
    if (comparison) {
      ProgramOperand left = write(condition.children[0]), right = write(condition.children[1]);
      if (comparison->swapped) std::swap(left, right);
      const ProgramOperand chosen = write(then), other = write(otherwise);
      return choose(comparison->choice, {left, right, chosen, other});
    }
    const ProgramOperand truth = write(condition);
    if (const double* number = number_of(truth)) return write(*number != 0 ? then : otherwise);
    const ProgramOperand chosen = write(then), other = write(otherwise);
    return operation(Operation::choose, {truth, chosen, other});
  }

  // Operations on two operands are faster than those on four.
  ProgramOperand choose(Operation choice, const std::vector<ProgramOperand>& from) {
    if (choice == Operation::choose_less && from[0] == from[2] && from[1] == from[3]) {
      return operation(Operation::lesser, {from[0], from[1]});
    }
    if (choice == Operation::choose_less && from[0] == from[3] && from[1] == from[2]) {
      return operation(Operation::greater, {from[1], from[0]});
    }
    return operation(choice, from);
  }

  const ShapedGraph& shaped_;
  const Node* node_ = nullptr;
  const PlannedNode* planned_ = nullptr;
  ElementwiseProgram program_;
  std::vector<Written> written_;
  std::map<ValueId, ProgramOperand> values_;
  std::set<ProgramOperand> truths_;  // operands that are 0 or 1
};

}  // namespace

std::optional<ElementwiseProgram> make_elementwise_program(const ShapedGraph& shaped,
                                                           std::span<const size_t> nodes,
                                                           std::span<const ValueId> kept) {
  const ValueId last = shaped.node(nodes.back()).outputs.front();
  ProgramBuilder writer(shaped, *elementwise_dtype(shaped, nodes.back()), shaped.dims(last));
  try {
    for (const size_t node : nodes) writer.add(node);
  } catch (const NotElementwise&) {
    return std::nullopt;
  }
  ElementwiseProgram program = writer.finish(kept);
  const bool in_blocks = shaped.is_in_blocks(last);
  const int64_t block = shaped.channels_of_block();
  if (in_blocks) program.dims = dims_in_blocks(program.dims, block);
  for (const ValueId id : program.inputs) {
    program.input_dims.push_back(in_blocks ? dims_in_blocks(shaped.dims(id), block)
                                           : shaped.dims(id));
  }
  return program;
}

}  // namespace mithril::cpu_backend
