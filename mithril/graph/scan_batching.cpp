#include "mithril/graph/scan_batching.hpp"

#include <unordered_map>
#include <utility>

#include "mithril/graph/batch_context.hpp"
#include "mithril/graph/batching.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// The size of the new axis in the body, which has symbols of its own.
Dim size_in_body(const Graph& body, const std::string& text, const Dim& size) {
  const Dim known = resolve(size);
  if (known.is_constant()) return known;
  std::string name = "rows";
  while (text.find(name) != std::string::npos) name += "_";
  return Dim(body.facts()->symbol(name));
}

// The first two axes the other way round.
Expression swapped(const Expression& x) {
  Tuple order{Datum(1), Datum(0)};
  for (size_t i = 2; i < x.dims().size(); ++i) order.emplace_back(static_cast<int64_t>(i));
  return call("transpose", {x, Datum(order)});
}

class ScanBatching {
 public:
  explicit ScanBatching(BatchContext& context)
      : context_(context),
        scan_(scan_of(context)),
        prefix_(free_prefix(scan_.body, "rows.")),
        size_(size_in_body(scan_.body, context.value("body").text(), context.size())) {
    for (int i = 0; i < context.list_size(); ++i)
      batched_.push_back(context.is_batched("arguments", i));
  }

  void run() {
    while (!batch_body()) {
    }
    write();
  }

 private:
  struct Result {
    ValueId value;
    bool batched;
  };

  // A step has the new axis first in all its values. False if it makes a batched next value of a
  // carry that is not batched: then the carry is, too.
  bool batch_body() {
    joint_ = scan_.body;
    inputs_ = scan_.body.inputs();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (batched_[i]) inputs_[i] = joint_.add_input(batched_value(inputs_[i]));
    }
    Batching batching(joint_, prefix_, size_);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (batched_[i]) batching.seed(scan_.body.inputs()[i], inputs_[i]);
    }
    std::vector<ValueId> wanted;
    for (const Output& output : scan_.body.outputs()) wanted.push_back(output.value);
    batching.run(wanted);
    results_.clear();
    bool complete = true;
    for (size_t k = 0; k < wanted.size(); ++k) {
      const auto& batched = batching.batched(wanted[k]);
      results_.push_back({batched ? *batched : batching.shared(wanted[k]), batched.has_value()});
      if (k >= scan_.carries || batched_[k] || !batched) continue;
      batched_[k] = true;
      complete = false;
    }
    return complete;
  }

  Value batched_value(ValueId id) const {
    Value value = scan_.body.value(id);
    value.name = prefix_ + value.name;
    value.dims.insert(value.dims.begin(), size_);
    return value;
  }

  void write() {
    for (size_t k = 0; k < scan_.carries; ++k) {
      if (batched_[k] && !results_[k].batched) results_[k] = {repeated(results_[k].value), true};
    }
    ScanLoop loop{.body = batched_body(),
                  .carries = scan_.carries,
                  .sequences = scan_.sequences,
                  .length = scan_.length,
                  .reverse = scan_.reverse};
    for (size_t i = 0; i < batched_.size(); ++i) loop.arguments.push_back(argument(i).id);
    const Expression first = context_.in("arguments", 0);
    const auto made = add_scan(*first.graph, loop, *first.scope + ".steps");
    for (size_t k = 0; k < made.size(); ++k) {
      const Expression output{first.graph, made[k], first.scope};
      const int index = static_cast<int>(k);
      if (!results_[k].batched) {
        context_.become_shared(output, index);
      } else {
        context_.become(k < scan_.carries ? output : swapped(output), index);
      }
    }
  }

  ValueId repeated(ValueId id) {
    std::vector<Dim> dims = joint_.value(id).dims;
    dims.insert(dims.begin(), size_);
    return call("broadcast_to", {Expression{&joint_, id, &prefix_}, Datum::dims(dims)}).id;
  }

  // Sequences have the steps first.
  Expression argument(size_t i) {
    const int item = static_cast<int>(i);
    if (!batched_[i]) return context_.in("arguments", item);
    const Expression x = context_.batched("arguments", item);
    const bool sequence = i >= scan_.carries && i < scan_.carries + scan_.sequences;
    return sequence ? swapped(x) : x;
  }

  // What the results need, with the names of the inputs as before.
  Graph batched_body() const {
    Graph body;
    body.share_facts(joint_);
    body.set_default_dtype(joint_.default_dtype());
    std::unordered_map<ValueId, ValueId> mapped;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Value value = joint_.value(inputs_[i]);
      value.name = scan_.body.value(scan_.body.inputs()[i]).name;
      mapped.emplace(inputs_[i], body.add_input(std::move(value)));
    }
    for (const Constant& constant : joint_.constants())
      mapped.emplace(constant.value,
                     body.add_constant(joint_.value(constant.value).name, constant.tensor));
    const std::vector<bool> needed = needed_nodes();
    for (size_t n = 0; n < needed.size(); ++n) {
      if (needed[n]) copy_node(joint_, joint_.nodes()[n], body, mapped);
    }
    for (size_t k = 0; k < results_.size(); ++k)
      body.add_output(scan_.body.outputs()[k].name, mapped.at(results_[k].value));
    body.drop_unread();
    return body;
  }

  std::vector<bool> needed_nodes() const {
    std::vector<bool> values(joint_.values().size()), nodes(joint_.nodes().size());
    for (const Result& result : results_) values[index(result.value)] = true;
    for (size_t n = nodes.size(); n-- > 0;) {
      const Node& node = joint_.nodes()[n];
      for (const ValueId id : node.outputs) nodes[n] = nodes[n] || values[index(id)];
      if (!nodes[n]) continue;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) values[index(*id)] = true;
      }
    }
    return nodes;
  }

  BatchContext& context_;
  const ScanLoop scan_;
  const std::string prefix_;
  const Dim size_;
  std::vector<bool> batched_;    // per argument
  Graph joint_;                  // the body, and what Batching adds
  std::vector<ValueId> inputs_;  // per argument: of the joint graph
  std::vector<Result> results_;  // per output of the body
};

}  // namespace

void batch_scan(BatchContext& context) { ScanBatching(context).run(); }

}  // namespace mithril
