#include "mithril/model/connection.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

Binding::Binding(const char* name) : held_(std::string(name)) {}
Binding::Binding(std::string name) : held_(std::move(name)) {}
Binding::Binding(const Connection& connection) : held_(connection) {}
Binding::Binding(Datum value) : held_(std::move(value)) {}
Binding::Binding(bool flag) : held_(Datum(flag)) {}
Binding::Binding(Int value) : held_(Datum(value.number)) {}
Binding::Binding(double number) : held_(Datum(number)) {}
Binding::Binding(DType dtype) : held_(Datum(dtype)) {}
Binding::Binding(None) : held_(Datum()) {}
Binding::Binding(Ellipsis) : held_(Datum(Ellipsis{})) {}
Binding::Binding(Slice slice) : held_(Datum(std::move(slice))) {}
Binding::Binding(Tensor tensor) : held_(std::move(tensor)) {}
Binding::Binding(IOKey key) : held_(std::move(key)) {}
Binding::Binding(std::vector<Binding> items) : held_(std::move(items)) {}
Binding::Binding(std::initializer_list<Binding> items) : held_(std::vector<Binding>(items)) {}
Binding::Binding(const Binding& other) = default;
Binding::Binding(Binding&& other) noexcept = default;
Binding& Binding::operator=(const Binding& other) = default;
Binding& Binding::operator=(Binding&& other) noexcept = default;
Binding::~Binding() = default;

Connection::Connection(const Connection& other) = default;
Connection::Connection(Connection&& other) noexcept = default;
Connection& Connection::operator=(const Connection& other) & = default;
Connection& Connection::operator=(Connection&& other) & noexcept = default;
Connection::~Connection() = default;

std::string Connection::name() const { return wire_name(wire()); }
KnownShape Connection::known_shape() const {
  UnknownNumbers unknowns;
  return mithril::to_known(wire()->shape, unknowns);
}

const std::shared_ptr<Composite>& Connection::model() const {
  if (!model_) {
    raise({.kind = ErrorKind::connection,
           .code = "E0118",
           .message = "this connection is empty",
           .help = "assign one to it before it is used, such as Connection(\"x\") or what a part "
                   "makes"});
  }
  return model_;
}

Wire* Connection::wire() const {
  root_of(model());  // raises if its model was destroyed
  return top(wire_);
}

}  // namespace mithril
