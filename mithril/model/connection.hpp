// A wire of a model in a user's hand.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mithril/model/binding.hpp"

namespace mithril {

class Binding;

// Cheap to copy; keeps its model alive (shared_ptr: the model is also held by its Model handle and
// by its parent). Applying a part to connections adds the part to their model; connections of
// models that are still expressions (made by Connection("x") and never named) are brought together
// in one.
class Connection {
 public:
  explicit Connection(const std::string& name);  // a free input: x = Connection("x")
  explicit Connection(const IOKey& key);
  Connection(std::shared_ptr<Composite> model, Wire* wire)
      : model_(std::move(model)), wire_(wire) {}

  // x[0], x[slice(1, 5)], x.at({slice(1), ellipsis, none}): NumPy's rules; items may be
  // connections.
  Connection operator[](const Binding& index) const;
  Connection at(const std::vector<Binding>& items) const;

  Connection shape() const;  // a tuple of ints
  Connection size() const;
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
  Connection sum(const Binding& axis, bool keepdim = false) const;
  Connection mean(const Binding& axis, bool keepdim = false) const;
  Connection max(const Binding& axis, bool keepdim = false) const;
  Connection min(const Binding& axis, bool keepdim = false) const;
  Connection prod(const Binding& axis, bool keepdim = false) const;
  Connection var(const Binding& axis, bool keepdim = false, double correction = 0.0) const;

  // What is known now.
  std::string name() const;  // its key, or the path of the port that makes it
  std::string shape_text() const;

  const std::shared_ptr<Composite>& model() const { return model_; }
  Wire* wire() const;  // the class's wire; ConnectionError E0108 where its model is gone

 private:
  std::shared_ptr<Composite> model_;
  Wire* wire_;
};

// A binding. A string is a name in the parent; a string value is written Datum("valid").
class Binding {
 public:
  using Held = std::variant<std::string, Connection, Datum, Tensor, IOKey, std::vector<Binding>>;
  Binding(const char* name) : held_(std::string(name)) {}
  Binding(std::string name) : held_(std::move(name)) {}
  Binding(Connection connection) : held_(std::move(connection)) {}
  Binding(Datum value) : held_(std::move(value)) {}
  Binding(bool flag) : held_(Datum(flag)) {}
  Binding(int number) : held_(Datum(number)) {}
  Binding(int64_t number) : held_(Datum(number)) {}
  Binding(double number) : held_(Datum(number)) {}
  Binding(DType dtype) : held_(Datum(dtype)) {}
  Binding(None) : held_(Datum()) {}
  Binding(Slice slice) : held_(Datum(std::move(slice))) {}
  Binding(Ellipsis) : held_(Datum(Ellipsis{})) {}
  Binding(Tensor tensor) : held_(std::move(tensor)) {}
  Binding(IOKey key) : held_(std::move(key)) {}
  Binding(std::vector<Binding> items) : held_(std::move(items)) {}
  Binding(std::initializer_list<Binding> items) : held_(std::vector<Binding>(items)) {}

  const Held& held() const { return held_; }

 private:
  Held held_;
};
using Bindings = std::vector<std::pair<std::string, Binding>>;  // port -> what it is bound to

inline constexpr None none{};
inline constexpr Ellipsis ellipsis{};
// slice(stop), slice(start, stop), slice(start, stop, step) as Python's; slice(1, none) is 1: .
Slice slice(Datum start, Datum stop, Datum step = {});

Connection operator+(const Connection& a, const Binding& b);
Connection operator-(const Connection& a, const Binding& b);
Connection operator*(const Connection& a, const Binding& b);
Connection operator/(const Connection& a, const Binding& b);
Connection operator%(const Connection& a, const Binding& b);
Connection operator+(double a, const Connection& b);
Connection operator-(double a, const Connection& b);
Connection operator*(double a, const Connection& b);
Connection operator/(double a, const Connection& b);
Connection operator-(const Connection& a);
Connection operator~(const Connection& a);
Connection operator>(const Connection& a, const Binding& b);
Connection operator>=(const Connection& a, const Binding& b);
Connection operator<(const Connection& a, const Binding& b);
Connection operator<=(const Connection& a, const Binding& b);
Connection operator&(const Connection& a, const Binding& b);
Connection operator|(const Connection& a, const Binding& b);
Connection operator^(const Connection& a, const Binding& b);
Connection operator<<(const Connection& a, const Binding& b);
Connection operator>>(const Connection& a, const Binding& b);
Connection pow(const Connection& base, const Binding& exponent);
Connection floor_divide(const Connection& a, const Binding& b);
Connection matmul(const Connection& a, const Binding& b);

// Applies an op to bindings in the order of its ports: apply("gelu", {x, true}). The first output.
Connection apply(std::string_view op, std::vector<Binding> operands);

}  // namespace mithril
