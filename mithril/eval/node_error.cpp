#include "mithril/eval/node_error.hpp"

#include "mithril/op/op_def.hpp"

namespace mithril {

void raise_at(const Graph& graph, const OpDef& op, ValueId made, const Error& error) {
  ErrorDetails details = error.details();
  if (details.path.empty()) details.path = graph.value(made).name;
  const std::string speaker = op.name + ": ";
  if (!details.message.starts_with(speaker)) details.message = speaker + details.message;
  raise(std::move(details));
}

}  // namespace mithril
