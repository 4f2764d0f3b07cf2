#include "mithril/passes/placements/refuse_rows.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

void refuse_mixed_rows(const Graph& graph, const Node& node, int processes, const std::string& why,
                       const std::string& help) {
  raise({.kind = ErrorKind::state,
         .code = "E0950",
         .path = graph.value(node.outputs.front()).name,
         .message = node.op->name + " mixes the rows of a batch that " + std::to_string(processes) +
                    " processes share",
         .facts = {{"reason", why}},
         .help = help.empty()
                     ? "use a layer that treats each row by itself, or train with one process"
                     : help});
}

void refuse_number_of_rows(const Graph& graph, const Node& node, const std::string& port,
                           const Datum& number) {
  raise({.kind = ErrorKind::state,
         .code = "E0953",
         .path = graph.value(node.outputs.front()).name,
         .port = port,
         .message = node.op->name + " reads a number of rows at port " + in_quotes(port) +
                    ", and each process has some rows only",
         .facts = {{port, to_string(number)}},
         .help = "compute with the number as a tensor: multiply, divide or add it"});
}

}  // namespace mithril
