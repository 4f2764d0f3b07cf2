// Expressions: connections by name, and the ops that are applied to connections.
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/model.hpp"

namespace mithril {
namespace {

std::shared_ptr<Composite> new_expression() {
  auto model = new_root();
  model->expression = true;
  return model;
}

constexpr Kinds ints = kind::int_tensor | kind::int_value;

Kinds kinds_of(const Binding& binding) {
  const auto& held = binding.held();
  if (const auto* datum = std::get_if<Datum>(&held)) return datum->kind();
  if (const auto* tensor = std::get_if<Tensor>(&held)) return tensor_kind(tensor->dtype());
  if (const auto* connection = std::get_if<Connection>(&held))
    return find(connection->wire()->type)->kinds;
  return kind::any;
}

// Whether one of them is known to be of ints.
bool has_ints(const Binding& a, const Binding& b) {
  return (kinds_of(a) & ~ints) == 0 || (kinds_of(b) & ~ints) == 0;
}

}  // namespace

Connection::Connection(const std::string& name) : Connection(IOKey{.name = name}) {}

Connection::Connection(const IOKey& key) : model_(new_expression()), wire_(nullptr) {
  Composition composition(*model_);
  wire_ = composition.wire_for(key);
  composition.commit();
}

Connection apply(std::string_view op, std::initializer_list<Binding> operands) {
  return apply(op, std::vector<Binding>(operands));
}
Connection apply(std::string_view op, std::vector<Binding> operands) {
  return Model::op(op).apply(operands).front();
}

Connection Connection::operator[](const Binding& index) const { return at({index}); }
Connection Connection::at(const std::vector<Binding>& items) const {
  return mithril::apply("indexer", {*this, Binding(items)});
}

Connection Connection::shape() const { return mithril::apply("shape", {*this}); }
Connection Connection::size() const { return mithril::apply("size", {*this}); }
Connection Connection::size(const Binding& dim) const {
  return mithril::apply("size", {*this, dim});
}
Connection Connection::len() const { return mithril::apply("length", {*this}); }
Connection Connection::T() const { return mithril::apply("transpose", {*this}); }
Connection Connection::eq(const Binding& other) const {
  return mithril::apply("equal", {*this, other});
}
Connection Connection::ne(const Binding& other) const {
  return mithril::apply("not_equal", {*this, other});
}
Connection Connection::abs() const { return mithril::apply("abs", {*this}); }
Connection Connection::sqrt() const { return mithril::apply("sqrt", {*this}); }
Connection Connection::exp() const { return mithril::apply("exp", {*this}); }
Connection Connection::sin() const { return mithril::apply("sin", {*this}); }
Connection Connection::cos() const { return mithril::apply("cos", {*this}); }
Connection Connection::floor() const { return mithril::apply("floor", {*this}); }
Connection Connection::item() const { return mithril::apply("item", {*this}); }
Connection Connection::tensor() const {
  const bool is_tensor = !(find(wire()->type)->kinds & kind::value);
  return is_tensor ? *this : mithril::apply("to_tensor", {*this});
}
Connection Connection::dtype() const { return mithril::apply("dtype", {*this}); }
Connection Connection::cast(const Binding& dtype) const {
  return mithril::apply("cast", {*this, dtype});
}
Connection Connection::reshape(const Binding& shape) const {
  return mithril::apply("reshape", {*this, shape});
}
Connection Connection::transpose(const Binding& axes) const {
  return mithril::apply("transpose", {*this, axes});
}
Connection Connection::clamp(const Binding& min, const Binding& max) const {
  return mithril::apply("clamp", {*this, min, max});
}
Connection Connection::sum() const { return sum(none); }
Connection Connection::mean() const { return mean(none); }
Connection Connection::max() const { return max(none); }
Connection Connection::min() const { return min(none); }
Connection Connection::prod() const { return prod(none); }
Connection Connection::var() const { return var(none); }
Connection Connection::sum(const Binding& axis, bool keepdim) const {
  return mithril::apply("sum", {*this, axis, keepdim});
}
Connection Connection::mean(const Binding& axis, bool keepdim) const {
  return mithril::apply("mean", {*this, axis, keepdim});
}
Connection Connection::max(const Binding& axis, bool keepdim) const {
  return mithril::apply("max", {*this, axis, keepdim});
}
Connection Connection::min(const Binding& axis, bool keepdim) const {
  return mithril::apply("min", {*this, axis, keepdim});
}
Connection Connection::prod(const Binding& axis, bool keepdim) const {
  return mithril::apply("prod", {*this, axis, keepdim});
}
Connection Connection::var(const Binding& axis, bool keepdim, double correction) const {
  return mithril::apply("variance", {*this, axis, keepdim, correction});
}

Binding slice(const Binding& start, const Binding& stop, const Binding& step) {
  const Datum* ends[] = {std::get_if<Datum>(&start.held()), std::get_if<Datum>(&stop.held()),
                         std::get_if<Datum>(&step.held())};
  if (ends[0] && ends[1] && ends[2]) return Slice{*ends[0], *ends[1], *ends[2]};
  return apply("make_slice", {start, stop, step});
}

Connection operator+(const Connection& a, const Binding& b) { return apply("add", {a, b}); }
Connection operator-(const Connection& a, const Binding& b) { return apply("subtract", {a, b}); }
Connection operator*(const Connection& a, const Binding& b) { return apply("multiply", {a, b}); }
Connection operator/(const Connection& a, const Binding& b) { return apply("divide", {a, b}); }
Connection operator%(const Connection& a, const Binding& b) { return apply("remainder", {a, b}); }
Connection& operator+=(Connection& a, const Binding& b) { return a = a + b; }
Connection& operator-=(Connection& a, const Binding& b) { return a = a - b; }
Connection& operator*=(Connection& a, const Binding& b) { return a = a * b; }
Connection& operator/=(Connection& a, const Binding& b) { return a = a / b; }
Connection& operator%=(Connection& a, const Binding& b) { return a = a % b; }
Connection operator-(const Connection& a) { return apply("negate", {a}); }
Connection operator~(const Connection& a) { return apply("bitwise_not", {a}); }
Connection operator>(const Connection& a, const Binding& b) { return apply("greater", {a, b}); }
Connection operator>=(const Connection& a, const Binding& b) {
  return apply("greater_equal", {a, b});
}
Connection operator<(const Connection& a, const Binding& b) { return apply("less", {a, b}); }
Connection operator<=(const Connection& a, const Binding& b) { return apply("less_equal", {a, b}); }
Connection operator&(const Connection& a, const Binding& b) { return bit_and(a, b); }
Connection operator|(const Connection& a, const Binding& b) { return bit_or(a, b); }
Connection operator^(const Connection& a, const Binding& b) { return bit_xor(a, b); }
Connection bit_and(const Binding& a, const Binding& b) {
  return apply(has_ints(a, b) ? "bitwise_and" : "logical_and", {a, b});
}
Connection bit_or(const Binding& a, const Binding& b) {
  return apply(has_ints(a, b) ? "bitwise_or" : "logical_or", {a, b});
}
Connection bit_xor(const Binding& a, const Binding& b) {
  return apply(has_ints(a, b) ? "bitwise_xor" : "logical_xor", {a, b});
}
Connection operator<<(const Connection& a, const Binding& b) { return apply("shift_left", {a, b}); }
Connection operator>>(const Connection& a, const Binding& b) {
  return apply("shift_right", {a, b});
}
Connection pow(const Connection& base, const Binding& exponent) {
  return apply("power", {base, exponent});
}
Connection floor_divide(const Connection& a, const Binding& b) {
  return apply("floor_divide", {a, b});
}
Connection matmul(const Connection& a, const Binding& b) { return apply("matmul", {a, b}); }

}  // namespace mithril
