#include "mithril/backend/backend.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril {

BackendMemory& memory_of(Backend& backend) {
  if (BackendMemory* memory = backend.memory()) return *memory;
  raise({.kind = ErrorKind::backend,
         .code = "E1020",
         .message = "backend " + quoted(backend.name()) + " does not count its memory"});
}

}  // namespace mithril
