#include "backends/torch/program/operators.hpp"

#include <ATen/ScalarOps.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "backends/torch/device/dtypes.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {
namespace {

using c10::TypeKind;
using Overloads = std::vector<c10::OperatorHandle>;

// Overloads by operator name, sorted by their own names; read once from the dispatcher.
const Overloads& overloads_of(const std::string& name) {
  static const auto all = [] {
    std::map<std::string, std::map<std::string, c10::OperatorHandle>> sorted;
    for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames()) {
      if (const auto handle = c10::Dispatcher::singleton().findSchema(op)) {
        sorted[op.name].emplace(op.overload_name, *handle);
      }
    }
    std::map<std::string, Overloads> listed;
    for (const auto& [op, handles] : sorted) {
      for (const auto& [overload, handle] : handles) listed[op].push_back(handle);
    }
    return listed;
  }();
  static const Overloads none;
  const auto at = all.find(name);
  return at == all.end() ? none : at->second;
}

bool is_int(const Datum& datum) { return datum.kind() == kind::int_value; }
bool is_number(const Datum& datum) { return (datum.kind() & kind::number) != 0; }

c10::Scalar scalar_of(const Datum& datum) {
  if (datum.kind() == kind::bool_value) return datum.flag();
  if (is_int(datum)) return datum.integer();
  return datum.real();
}

template <typename T, typename Read>
std::optional<c10::IValue> list_of(const Datum& datum, Kinds items, Read read) {
  c10::List<T> list;
  for (const Datum& item : datum.tuple()) {
    if (!(item.kind() & items)) return std::nullopt;
    list.push_back(read(item));
  }
  return c10::IValue(std::move(list));
}

std::optional<c10::IValue> ints_of(const c10::Argument& argument, const Datum& datum) {
  if (datum.kind() == kind::tuple) {
    return list_of<int64_t>(datum, kind::int_value,
                            [](const Datum& item) { return item.integer(); });
  }
  if (!is_int(datum)) return std::nullopt;
  const auto count = static_cast<size_t>(argument.N().value_or(1));
  return c10::IValue(c10::List<int64_t>(std::vector<int64_t>(count, datum.integer())));
}

// Converts a constant to the type of the schema; none if it does not fit.
class Conversion {
 public:
  Conversion(const c10::Argument& argument, const Datum& datum, bool numbers_as_tensors)
      : argument_(argument), datum_(datum), numbers_as_tensors_(numbers_as_tensors) {}

  std::optional<c10::IValue> run(const c10::Type& type, const c10::Type& real) const {
    switch (type.kind()) {
      case TypeKind::OptionalType: {
        if (datum_.is_none()) return c10::IValue();
        const auto& inner = *type.castRaw<c10::OptionalType>()->getElementType();
        const auto* optional = real.castRaw<c10::OptionalType>();
        return run(inner, optional ? *optional->getElementType() : inner);
      }
      case TypeKind::TensorType:
        if (numbers_as_tensors_ && datum_.is_none()) return c10::IValue(at::Tensor());
        if (!numbers_as_tensors_ || !is_number(datum_)) return std::nullopt;
        return number_tensor();
      case TypeKind::NumberType:
        return is_number(datum_) ? std::optional<c10::IValue>(scalar_of(datum_)) : std::nullopt;
      case TypeKind::IntType:
      case TypeKind::SymIntType:
        return integer(real);
      case TypeKind::FloatType:
        return datum_.kind() & (kind::float_value | kind::int_value)
                   ? std::optional<c10::IValue>(datum_.real())
                   : std::nullopt;
      case TypeKind::BoolType:
        return datum_.kind() == kind::bool_value ? std::optional<c10::IValue>(datum_.flag())
                                                 : std::nullopt;
      case TypeKind::StringType:
        return datum_.kind() == kind::string ? std::optional<c10::IValue>(datum_.text())
                                             : std::nullopt;
      case TypeKind::ListType:
        return list(type.castRaw<c10::ListType>()->getElementType());
      default:
        return std::nullopt;
    }
  }

 private:
  // A number that never decides the dtype of a result, like a Python number in torch.
  c10::IValue number_tensor() const {
    at::Tensor tensor = c10::scalar_to_tensor(scalar_of(datum_));
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
  }

  std::optional<c10::IValue> integer(const c10::Type& real) const {
    const bool wants_dtype = real.kind() == TypeKind::ScalarTypeType;
    if (datum_.kind() == kind::dtype && wants_dtype) {
      return c10::IValue(static_cast<int64_t>(scalar_type(datum_.dtype())));
    }
    if (!is_int(datum_) || wants_dtype) return std::nullopt;
    return c10::IValue(datum_.integer());
  }

  std::optional<c10::IValue> list(const c10::TypePtr& type) const {
    const c10::Type& item = *type;
    if (item.kind() == TypeKind::IntType || item.kind() == TypeKind::SymIntType) {
      return ints_of(argument_, datum_);
    }
    if (datum_.kind() != kind::tuple) return std::nullopt;
    if (datum_.tuple().empty()) return c10::IValue(c10::impl::GenericList(type));
    if (item.kind() == TypeKind::BoolType) {
      return list_of<bool>(datum_, kind::bool_value, [](const Datum& d) { return d.flag(); });
    }
    if (item.kind() == TypeKind::FloatType) {
      return list_of<double>(datum_, kind::float_value | kind::int_value,
                             [](const Datum& d) { return d.real(); });
    }
    return std::nullopt;
  }

  const c10::Argument& argument_;
  const Datum& datum_;
  bool numbers_as_tensors_;
};

bool takes_tensor(const c10::Type& type, bool list) {
  if (type.kind() == TypeKind::OptionalType) {
    return takes_tensor(*type.castRaw<c10::OptionalType>()->getElementType(), list);
  }
  if (!list) return type.kind() == TypeKind::TensorType;
  return type.kind() == TypeKind::ListType &&
         takes_tensor(*type.castRaw<c10::ListType>()->getElementType(), false);
}

class CallMatching {
 public:
  CallMatching(const c10::OperatorHandle& op, const std::vector<CallArgument>& given,
               const Made& made, bool numbers_as_tensors)
      : schema_(op.schema()),
        given_(given),
        made_(made),
        numbers_as_tensors_(numbers_as_tensors),
        call_{.op = op, .operands = {}, .values = {}} {}

  std::optional<Call> run() {
    size_t used = 0;
    for (size_t i = 0; i < schema_.arguments().size(); ++i) {
      const c10::Argument& argument = schema_.arguments()[i];
      const CallArgument* given = find(i, argument);
      used += given != nullptr;
      if (!(given ? take(argument, given->operand) : fall_back(argument))) return std::nullopt;
    }
    if (used != given_.size()) return std::nullopt;
    call_.results = schema_.returns().size();
    call_.makes_list =
        call_.results == 1 && schema_.returns()[0].type()->kind() == TypeKind::ListType;
    return std::move(call_);
  }

 private:
  const CallArgument* find(size_t index, const c10::Argument& argument) const {
    if (index < given_.size() && given_[index].keyword.empty() && !argument.kwarg_only()) {
      return &given_[index];
    }
    for (const CallArgument& given : given_) {
      if (!given.keyword.empty() && given.keyword == argument.name()) return &given;
    }
    return nullptr;
  }

  bool take(const c10::Argument& argument, const Operand& operand) {
    if (operand.kind != Operand::Kind::constant) {
      if (!takes_tensor(*argument.type(), operand.kind == Operand::Kind::tensors)) return false;
      return add(operand, {});
    }
    const Conversion conversion(argument, operand.constant, numbers_as_tensors_);
    auto value = conversion.run(*argument.type(), *argument.real_type());
    return value && add(operand, *std::move(value));
  }

  // Factory functions get the dtype and device of the node's output.
  bool fall_back(const c10::Argument& argument) {
    if (!argument.default_value()) return false;
    const bool factory =
        argument.kwarg_only() && !takes_tensor(*schema_.arguments()[0].type(), false);
    if (factory && argument.name() == "dtype") {
      return add({}, c10::IValue(static_cast<int64_t>(made_.dtype)));
    }
    if (factory && argument.name() == "device") return add({}, c10::IValue(made_.device));
    return add({}, *argument.default_value());
  }

  bool add(Operand operand, c10::IValue value) {
    call_.operands.push_back(std::move(operand));
    call_.values.push_back(std::move(value));
    return true;
  }

  const c10::FunctionSchema& schema_;
  const std::vector<CallArgument>& given_;
  const Made& made_;
  bool numbers_as_tensors_;
  Call call_;
};

std::string described(const CallArgument& argument) {
  const Operand& operand = argument.operand;
  const std::string what = operand.kind == Operand::Kind::tensor    ? "Tensor"
                           : operand.kind == Operand::Kind::tensors ? "Tensor[]"
                                                                    : to_string(operand.constant);
  return argument.keyword.empty() ? what : argument.keyword + "=" + what;
}

[[noreturn]] void refuse(const std::string& name, const std::vector<CallArgument>& given) {
  std::string call = name + "(";
  for (const CallArgument& argument : given) {
    call += (call.back() == '(' ? "" : ", ") + described(argument);
  }
  ErrorDetails details{.kind = ErrorKind::backend,
                       .code = "E1011",
                       .message = "this torch has no operator for " + call + ")"};
  for (const c10::OperatorHandle& op : overloads_of(name)) {
    details.facts.push_back({"has", c10::str(op.schema())});
  }
  raise(std::move(details));
}

}  // namespace

bool moves_elements(const std::string& name) {
  static const std::set<std::string_view> names = {
      "aten::to",      "aten::contiguous", "aten::unsqueeze", "aten::squeeze", "aten::_cast_Float",
      "aten::reshape", "aten::transpose",  "aten::expand",    "aten::select",  "aten::slice",
      "aten::flip",    "aten::permute",    "aten::cat"};
  return names.contains(name);
}

bool sums_rounded_terms(const std::string& name) { return name == "aten::convolution_backward"; }

bool has_operator(const std::string& name) { return !overloads_of(name).empty(); }

// Torch tags two kinds of operators: the size of the output depends on the elements of the input,
// or the host reads the output. Linear algebra has no tag: it copies the success of each matrix to
// the host, except for norms, products and triangular systems.
bool waits_for_device(const c10::OperatorHandle& op) {
  for (const at::Tag tag : {at::Tag::data_dependent_output, at::Tag::dynamic_output_shape}) {
    if (op.hasTag(tag)) return true;
  }
  const std::string& name = op.schema().name();
  constexpr std::array checked{"aten::linalg_", "aten::_linalg_", "aten::cholesky"};
  constexpr std::array unchecked{"norm", "cross", "diagonal", "multi_dot", "solve_triangular"};
  return std::any_of(checked.begin(), checked.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); }) &&
         std::none_of(unchecked.begin(), unchecked.end(),
                      [&](const char* part) { return name.find(part) != std::string::npos; });
}

Call resolve(const std::string& name, const std::vector<CallArgument>& arguments,
             const Made& made) {
  for (const bool numbers_as_tensors : {false, true}) {
    for (const c10::OperatorHandle& op : overloads_of(name)) {
      if (auto call = CallMatching(op, arguments, made, numbers_as_tensors).run()) {
        return *std::move(call);
      }
    }
  }
  refuse(name, arguments);
}

}  // namespace mithril::torch_backend
