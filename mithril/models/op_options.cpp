#include "mithril/models/op_options.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

Model op_with_options(std::string_view op, Arguments options) {
  const std::vector<PortDef>& ports = find_op(op).inputs;
  std::erase_if(options, [&](const auto& option) {
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&](const PortDef& def) { return def.name == option.first; });
    return same(option.second, port->fallback.value_or(Datum()));
  });
  return Model::op(op, std::move(options));
}

}  // namespace mithril
