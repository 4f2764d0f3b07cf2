#include "mithril/passes/drop_rows.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {

Graph drop_rows(const Graph& graph) {
  std::vector<bool> of_row(graph.values().size());
  Rebuilder rebuilder(graph);
  for (const Node& node : graph.nodes()) {
    const bool reads_row =
        std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
          const ValueId* id = tensor_of(argument);
          return id && of_row[index(*id)];
        });
    const bool is_row = node.op->transform && !node.op->expand;
    if (!is_row && !reads_row) {
      rebuilder.keep(node);
      continue;
    }
    for (const ValueId id : node.outputs) of_row[index(id)] = true;
  }
  for (const Output& output : graph.outputs()) {
    if (!of_row[index(output.value)]) continue;
    raise({.kind = ErrorKind::value,
           .code = "E0428",
           .path = graph.value(output.value).name,
           .message = "a value inside a vmap is read outside of it",
           .help =
               "make it an output of the model that vmap takes, whose outputs hooks see. A state "
               "that differs for each index, such as running statistics, is not possible"});
  }
  return rebuilder.finish_whole();
}

}  // namespace mithril
