// A connection: a user's handle of a wire.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mithril/infer/known_shape.hpp"
#include "mithril/model/binding.hpp"

namespace mithril {

class Binding;

// Cheap to copy; keeps its model alive (shared_ptr: the model is also held by its Model handle and
// by its parent). Applying a part to connections adds the part to their model; connections of
// models that are still expressions (made by Connection("x") and never named) are brought together
// in one.
class Connection {
 public:
  Connection() = default;  // none yet: assign one before it is used (ConnectionError E0118)
  // Not inline, as in class Datum.
  Connection(const Connection& other);
  Connection(Connection&& other) noexcept;
  // Only to variables: model["out"] = h would change nothing. To name a connection, write
  // model |= part({{"output", "out"}}) or model.expose_keys({{"out", h}}).
  Connection& operator=(const Connection& other) &;
  Connection& operator=(Connection&& other) & noexcept;
  ~Connection();
  explicit Connection(const std::string& name);  // a free input: x = Connection("x")
  explicit Connection(const IOKey& key);
  Connection(std::shared_ptr<Composite> model, Wire* wire)
      : model_(std::move(model)), wire_(wire) {}

  // x[0], x[slice(1, 5)], x.at({slice(1, none), ellipsis, none}): NumPy's rules; items may be
  // connections.
  Connection operator[](const Binding& index) const;
  Connection at(const std::vector<Binding>& items) const;

  Connection shape() const;                   // a tuple of ints
  Connection size() const;                    // the number of elements
  Connection size(const Binding& dim) const;  // of one axis, or the product of several
  Connection len() const;
  Connection T() const;  // all axes reversed
  Connection eq(const Binding& other) const;
  Connection ne(const Binding& other) const;
  Connection abs() const;
  Connection sqrt() const;
  Connection exp() const;
  Connection sin() const;
  Connection cos() const;
  Connection floor() const;
  Connection item() const;
  Connection tensor() const;  // a value as a tensor; a tensor as it is
  Connection dtype() const;
  Connection cast(const Binding& dtype) const;
  Connection reshape(const Binding& shape) const;
  Connection transpose(const Binding& axes) const;
  Connection clamp(const Binding& min, const Binding& max) const;
  // Over all axes, or over one or several: x.mean(), x.mean(-1, true), x.mean({2, 3}).
  Connection sum() const;
  Connection mean() const;
  Connection max() const;
  Connection min() const;
  Connection prod() const;
  Connection var() const;
  Connection sum(const Binding& axis, bool keepdim = false) const;
  Connection mean(const Binding& axis, bool keepdim = false) const;
  Connection max(const Binding& axis, bool keepdim = false) const;
  Connection min(const Binding& axis, bool keepdim = false) const;
  Connection prod(const Binding& axis, bool keepdim = false) const;
  Connection var(const Binding& axis, bool keepdim = false, double correction = 0.0) const;

  // The current facts.
  std::string name() const;  // its key, or the path of the port that makes it
  KnownShape known_shape() const;

  const std::shared_ptr<Composite>& model() const;
  Wire* wire() const;  // the class's wire; ConnectionError E0108 if its model was destroyed

 private:
  std::shared_ptr<Composite> model_;
  Wire* wire_ = nullptr;
};

struct Call;

// A binding. A string is a name in the parent; a string value is written Datum("valid").
class Binding {
 public:
  using Held = std::variant<std::string, Connection, Datum, Tensor, IOKey, std::vector<Binding>>;
  Binding(const char* name);
  Binding(std::string name);
  Binding(const Connection& connection);
  // the output of the part: Relu()({{"input", Linear()({{"input", x}})}})
  Binding(const Call& call);
  Binding(Datum value);
  Binding(bool flag);
  template <Number T>
  Binding(T number) : Binding(Int{to_int64(number)}) {}
  Binding(double number);
  Binding(DType dtype);
  Binding(None);
  Binding(Slice slice);
  Binding(Ellipsis);
  Binding(Tensor tensor);
  Binding(IOKey key);
  Binding(std::vector<Binding> items);
  Binding(std::initializer_list<Binding> items);
  // Not inline, as in class Datum.
  Binding(const Binding& other);
  Binding(Binding&& other) noexcept;
  Binding& operator=(const Binding& other);
  Binding& operator=(Binding&& other) noexcept;
  ~Binding();

  const Held& held() const { return held_; }

 private:
  struct Int {
    std::int64_t number;
  };
  explicit Binding(Int value);
  Held held_;
};
using Bindings = std::vector<std::pair<std::string, Binding>>;  // port -> its binding

// slice(start, stop, step) is Python's start:stop:step, none an end that is left out. They may be
// connections: x[slice(0, x.shape()[0] - 1)].
Binding slice(const Binding& start, const Binding& stop, const Binding& step = none);

// Applies an op to bindings in the order of its ports: apply("gelu", {x, true}). The first output.
Connection apply(std::string_view op, std::initializer_list<Binding> operands);
Connection apply(std::string_view op, std::vector<Binding> operands);

Connection operator+(const Connection& a, const Binding& b);
Connection operator-(const Connection& a, const Binding& b);
Connection operator*(const Connection& a, const Binding& b);
Connection operator/(const Connection& a, const Binding& b);
Connection operator%(const Connection& a, const Binding& b);  // with the sign of b, as in Python
// x += y is x = x + y: a new connection under the old name of the variable.
Connection& operator+=(Connection& a, const Binding& b);
Connection& operator-=(Connection& a, const Binding& b);
Connection& operator*=(Connection& a, const Binding& b);
Connection& operator/=(Connection& a, const Binding& b);
Connection& operator%=(Connection& a, const Binding& b);
Connection operator-(const Connection& a);
Connection operator~(const Connection& a);
Connection operator>(const Connection& a, const Binding& b);
Connection operator>=(const Connection& a, const Binding& b);
Connection operator<(const Connection& a, const Binding& b);
Connection operator<=(const Connection& a, const Binding& b);
// Bitwise if one operand is known to be of ints, otherwise logical.
Connection operator&(const Connection& a, const Binding& b);
Connection operator|(const Connection& a, const Binding& b);
Connection operator^(const Connection& a, const Binding& b);
Connection bit_and(const Binding& a, const Binding& b);
Connection bit_or(const Binding& a, const Binding& b);
Connection bit_xor(const Binding& a, const Binding& b);
Connection operator<<(const Connection& a, const Binding& b);
Connection operator>>(const Connection& a, const Binding& b);
Connection pow(const Connection& base, const Binding& exponent);
Connection floor_divide(const Connection& a, const Binding& b);
Connection matmul(const Connection& a, const Binding& b);

// Operators with the number on the left, where an int stays an int: 2 * x.shape()[0].
template <typename T>
concept LeftOperand = std::is_arithmetic_v<T> || std::same_as<T, Tensor>;
#define MITHRIL_LEFT_OPERAND(function, op)               \
  template <LeftOperand T>                               \
  Connection function(const T& a, const Connection& b) { \
    return apply(op, {Binding(a), Binding(b)});          \
  }
MITHRIL_LEFT_OPERAND(operator+, "add")
MITHRIL_LEFT_OPERAND(operator-, "subtract")
MITHRIL_LEFT_OPERAND(operator*, "multiply")
MITHRIL_LEFT_OPERAND(operator/, "divide")
MITHRIL_LEFT_OPERAND(operator%, "remainder")
MITHRIL_LEFT_OPERAND(operator>, "greater")
MITHRIL_LEFT_OPERAND(operator>=, "greater_equal")
MITHRIL_LEFT_OPERAND(operator<, "less")
MITHRIL_LEFT_OPERAND(operator<=, "less_equal")
MITHRIL_LEFT_OPERAND(operator<<, "shift_left")
MITHRIL_LEFT_OPERAND(operator>>, "shift_right")
MITHRIL_LEFT_OPERAND(pow, "power")
MITHRIL_LEFT_OPERAND(floor_divide, "floor_divide")
MITHRIL_LEFT_OPERAND(matmul, "matmul")
#undef MITHRIL_LEFT_OPERAND
template <LeftOperand T>
Connection operator&(const T& a, const Connection& b) {
  return bit_and(Binding(a), b);
}
template <LeftOperand T>
Connection operator|(const T& a, const Connection& b) {
  return bit_or(Binding(a), b);
}
template <LeftOperand T>
Connection operator^(const T& a, const Connection& b) {
  return bit_xor(Binding(a), b);
}

}  // namespace mithril
