#include "mithril/package/torchscript.hpp"

#include <utility>

#include "mithril/backend/runs_torchscript.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/package/native_model.hpp"

namespace mithril {

CompiledModel compile_torchscript(const PackageInfo& info, std::string_view stored,
                                  const std::string& where, std::shared_ptr<Backend> backend) {
  if (!backend) {
    raise({.kind = ErrorKind::backend, .code = "E1052", .message = "compile: the backend is null"});
  }
  auto* runner = dynamic_cast<RunsTorchScript*>(backend.get());
  if (!runner) {
    raise({.kind = ErrorKind::backend,
           .code = "E1040",
           .path = where,
           .message = "TorchScript does not run on the backend " + in_quotes(backend->name())});
  }
  return native_model(
      info, static_cast<std::int64_t>(stored.size()), std::move(backend),
      [&](const Graph& ports) { return runner->load_torchscript(stored, where, ports); });
}

}  // namespace mithril
