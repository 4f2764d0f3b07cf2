#include "mithril/model/connection.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

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
