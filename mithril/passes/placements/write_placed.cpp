#include "mithril/passes/placements/write_placed.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/placements/argument_ports.hpp"
#include "mithril/passes/placements/buckets.hpp"
#include "mithril/passes/placements/draw_rows.hpp"
#include "mithril/passes/placements/expand_statistics.hpp"
#include "mithril/passes/placements/global_rows.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

class PlacedWriter {
 public:
  PlacedWriter(const Graph& graph, const BatchRows& rows, const FoundPlacements& placements,
               const PlacementOptions& options)
      : from_(graph),
        placements_(placements),
        options_(options),
        buckets_(make_buckets(graph, placements, options.bucket_bytes)),
        rebuilder_(graph),
        scope_(unused_prefix(graph, "rows")) {
    bucket_of_.assign(graph.values().size(), -1);
    for (size_t i = 0; i < buckets_.size(); ++i) {
      for (const ValueId id : buckets_[i].members) bucket_of_[index(id)] = static_cast<int>(i);
    }
    started_.resize(buckets_.size());
    if (reads_global_rows()) rows_.emplace(rebuilder_.graph(), rows, options, scope_);
  }

  PlacedGraph run() {
    PlacedGraph placed;
    for (const ValueId id : from_.inputs()) placed.inputs.push_back(placements_.of[index(id)]);
    if (rows_) add_collectives_of_rows(placed);
    start(-1);
    for (size_t i = 0; i < from_.nodes().size(); ++i) {
      write(static_cast<NodeId>(i));
      start(static_cast<int64_t>(i));
    }
    for (const Output& output : from_.outputs()) {
      wait(output.value);
      placed.outputs.push_back(placements_.read(output.value));
    }
    placed.graph = rebuilder_.finish();
    add_collectives(placed);
    return placed;
  }

 private:
  Graph& graph() { return rebuilder_.graph(); }
  Expression expression(ValueId id) { return {&graph(), id, &scope_}; }

  bool reads_global_rows() const {
    return std::any_of(placements_.changes.begin(), placements_.changes.end(),
                       [](const auto& change) {
                         const NodeChange& node = change.second;
                         return !node.numbers.empty() || node.counts || node.draw || node.nested;
                       });
  }

  void start(int64_t made) {
    for (; next_ < buckets_.size() && buckets_[next_].made == made; ++next_) {
      std::vector<ValueId> terms;
      for (const ValueId id : buckets_[next_].members) terms.push_back(rebuilder_.map(id));
      started_[next_] = start_all_reduce(graph(), terms, options_, buckets_[next_].reduction);
    }
  }

  // Makes a reduced value whole, with all others of its bucket, before its first reader.
  void wait(ValueId id) {
    const int at = bucket_of_[index(id)];
    if (at < 0 || started_[static_cast<size_t>(at)].empty()) return;
    const Bucket& bucket = buckets_[static_cast<size_t>(at)];
    std::vector<ValueId>& started = started_[static_cast<size_t>(at)];
    std::vector<std::string> names;
    for (const ValueId member : bucket.members) {
      const auto& inputs = from_.inputs();
      const bool is_input = std::find(inputs.begin(), inputs.end(), member) != inputs.end();
      names.push_back(from_.value(member).name + (is_input ? ".whole" : ""));
    }
    const std::vector<ValueId> whole = wait_all_reduce(graph(), started, names);
    for (size_t i = 0; i < whole.size(); ++i) rebuilder_.replace(bucket.members[i], whole[i]);
    started.clear();
  }

  void write(NodeId id) {
    const Node& node = from_.node(id);
    const ArgumentPorts ports(node);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* value = tensor_of(node.arguments[i]);
      if (value && reads_elements(ports[i])) wait(*value);
    }
    const auto found = placements_.changes.find(id);
    Node now = rebuilder_.map_arguments(node);
    if (found != placements_.changes.end()) {
      if (found->second.counts) return write_number(node);
      change(node, found->second, now);
    }
    for (const ValueId old : node.outputs) {
      Value value = from_.value(old);
      // A reduced value has its name only when it is whole.
      if (placements_.reduced[index(old)]) value.name += ".partial";
      now.outputs.push_back(graph().add_value(std::move(value)));
      rebuilder_.replace(old, now.outputs.back());
    }
    graph().add_node(std::move(now));
  }

  // to_tensor of a number of rows.
  void write_number(const Node& node) {
    const Value& value = from_.value(node.outputs.front());
    const Dim& dim = std::get<Datum>(node.arguments.front()).dim();
    Node copy{&find_op("buffer"), {rows_->number(dim, value.dtype, value.name).id}, {}};
    rebuilder_.add(std::move(copy), node.outputs);
  }

  void change(const Node& node, const NodeChange& change, Node& now) {
    for (const size_t i : change.masked) {
      const Expression whole = expression(std::get<ValueId>(now.arguments[i]));
      // A choice, because a product with 0 is NaN for an infinity.
      now.arguments[i] = call("where", {is_first(), whole, 0}).id;
    }
    for (const size_t i : change.numbers) {
      const Dim& dim = std::get<Datum>(node.arguments[i]).dim();
      const std::string& path = from_.value(node.outputs.front()).name;
      now.arguments[i] = rows_->number(dim, dtype_of_number(node), path).id;
    }
    RowNumbers numbers;
    for (const size_t batch : batches_drawn(change))
      numbers.emplace(batch, RowNumber{rows_->first(batch), rows_->count(batch)});
    if (change.draw) draw_rows(now, *change.draw, numbers);
    if (change.nested) draw_rows(now, *change.nested, numbers);
    if (change.extremum) pad_rows(node, now);
  }

  // That of the other operands: a number does not decide the dtype of a result.
  DType dtype_of_number(const Node& node) const {
    std::optional<DType> widest;
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (!id || from_.value(*id).dtype == DType::boolean) continue;
      const DType dtype = from_.value(*id).dtype;
      widest = widest ? promote(*widest, dtype) : dtype;
    }
    return widest.value_or(DType::int64);
  }

  Expression is_first() {
    if (!is_first_) {
      const Tensor flag = Tensor::scalar(options_.rank == 0 ? 1.0 : 0.0).to(DType::boolean);
      is_first_ = graph().add_constant(scope_ + ".is_first", flag);
    }
    return expression(*is_first_);
  }

  // A row that every other row replaces, since there may be no other row.
  void pad_rows(const Node& node, Node& now) {
    const size_t at = node.argument_index("input");
    const Expression x = expression(std::get<ValueId>(now.arguments[at]));
    const Placement of = placements_.read(std::get<ValueId>(node.arguments[at]));
    std::vector<Dim> dims = x.dims();
    dims[of.axis] = Dim(1);
    const bool highest = node.op->combines_by == "min";
    const Expression row =
        call_in(x, "full", {Datum::dims(dims), extreme_of(x.dtype(), highest), Datum(x.dtype())});
    now.arguments[at] = call("concat", {x, row, Datum(static_cast<int64_t>(of.axis))}).id;
  }

  static Datum extreme_of(DType dtype, bool highest) {
    if (dtype == DType::boolean) return highest;
    if (is_floating(dtype)) {
      const double infinity = std::numeric_limits<double>::infinity();
      return highest ? infinity : -infinity;
    }
    if (dtype == DType::int32) {
      using Limits = std::numeric_limits<int32_t>;
      return static_cast<int64_t>(highest ? Limits::max() : Limits::min());
    }
    using Limits = std::numeric_limits<int64_t>;
    return highest ? Limits::max() : Limits::min();
  }

  void add_collectives_of_rows(PlacedGraph& placed) {
    for (const ValueId id : rows_->exchanged()) {
      const Value& value = graph().value(id);
      placed.collectives.push_back({scope_, "sum", value.dtype, value.dims, 0, known_bytes(value)});
    }
  }

  // A value of the original graph, or one that became a part of it.
  static std::string path_of(const std::string& name) {
    const std::string prefix = std::string(statistics_prefix) + ".";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }

  void add_collectives(PlacedGraph& placed) const {
    const size_t first = placed.collectives.empty() ? 0 : 1;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      for (const ValueId id : buckets_[i].members) {
        const Value& value = from_.value(id);
        placed.collectives.push_back({path_of(value.name), std::string(name(buckets_[i].reduction)),
                                      value.dtype, value.dims, first + i, known_bytes(value)});
      }
    }
  }

  const Graph& from_;
  const FoundPlacements& placements_;
  const PlacementOptions& options_;
  const std::vector<Bucket> buckets_;
  Rebuilder rebuilder_;
  const std::string scope_;
  std::optional<GlobalRows> rows_;
  std::vector<int> bucket_of_;                 // per value; -1: none
  std::vector<std::vector<ValueId>> started_;  // per bucket: until it is waited for
  size_t next_ = 0;                            // the next bucket to start
  std::optional<ValueId> is_first_;            // whether this is the first process
};

}  // namespace

PlacedGraph write_placed(const Graph& graph, const BatchRows& rows,
                         const FoundPlacements& placements, const PlacementOptions& options) {
  return PlacedWriter(graph, rows, placements, options).run();
}

}  // namespace mithril
