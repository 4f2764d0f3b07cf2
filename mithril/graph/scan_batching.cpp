#include "mithril/graph/scan_batching.hpp"

#include "mithril/graph/batch_context.hpp"
#include "mithril/graph/nested_batching.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// The first two axes the other way round.
Expression swapped(const Expression& x) {
  Tuple order{Datum(1), Datum(0)};
  for (size_t i = 2; i < x.dims().size(); ++i) order.emplace_back(static_cast<int64_t>(i));
  return call("transpose", {x, Datum(order)});
}

class ScanBatching {
 public:
  explicit ScanBatching(BatchContext& context) : context_(context), scan_(scan_of(context)) {
    for (int i = 0; i < context.list_size(); ++i)
      batched_.push_back(context.is_batched("arguments", i));
  }

  void run() {
    BatchedGraph step = batched_step(scan_.body, scan_.carries, context_.size(), batched_);
    ScanLoop loop{.body = step.graph(),
                  .carries = scan_.carries,
                  .sequences = scan_.sequences,
                  .length = scan_.length,
                  .reverse = scan_.reverse,
                  .numbers = scan_.numbers};
    for (size_t i = 0; i < batched_.size(); ++i) loop.arguments.push_back(argument(i).id);
    const Expression first = context_.in("arguments", 0);
    const auto made = add_scan(*first.graph, loop, *first.scope + ".steps");
    for (size_t k = 0; k < made.size(); ++k) {
      const Expression output{first.graph, made[k], first.scope};
      const int index = static_cast<int>(k);
      if (!step.is_batched(k)) {
        context_.become_shared(output, index);
      } else {
        context_.become(k < scan_.carries ? output : swapped(output), index);
      }
    }
  }

 private:
  // Sequences have the steps first.
  Expression argument(size_t i) {
    const int item = static_cast<int>(i);
    if (!batched_[i]) return context_.in("arguments", item);
    const Expression x = context_.batched("arguments", item);
    const bool sequence = i >= scan_.carries && i < scan_.carries + scan_.sequences;
    return sequence ? swapped(x) : x;
  }

  BatchContext& context_;
  const ScanLoop scan_;
  std::vector<bool> batched_;  // per argument
};

}  // namespace

void batch_scan(BatchContext& context) { ScanBatching(context).run(); }

void batch_with_keys(BatchContext& context) {
  const Expression keys = context.in("key");
  Graph& graph = *keys.graph;
  ScanLoop loop{.body = {}, .sequences = 1, .length = Datum(context.size())};
  loop.body.share_facts(graph);
  loop.body.set_default_dtype(graph.default_dtype());
  loop.arguments.push_back(keys.id);
  const ValueId key = loop.body.add_input({.name = "key", .dims = {}, .dtype = keys.dtype()});
  std::vector<Argument> arguments;
  for (const Operand& operand : context.operands()) {
    const std::string_view port = context.port_of(arguments.size());
    const auto* tensor = operand.expression();
    if (!tensor) {
      arguments.push_back(operand.argument());
    } else if (port == "key") {
      arguments.emplace_back(key);
    } else {
      const Expression given = context.shaped_like(port);
      Value value = given.value();
      value.name = port;
      loop.arguments.push_back(given.id);
      arguments.emplace_back(loop.body.add_input(std::move(value)));
    }
  }
  loop.body.add_output("drawn", loop.body.add(context.op(), std::move(arguments), "drawn").front());
  context.become({&graph, add_scan(graph, loop, *keys.scope + ".keys").front(), keys.scope});
}

}  // namespace mithril
