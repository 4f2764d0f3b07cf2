// Reads graphs from bytes. Bytes from a disk are not trusted: they are a graph, or they are
// refused.
#include <algorithm>

#include "mithril/graph/byte_stream.hpp"
#include "mithril/graph/byte_tags.hpp"
#include "mithril/graph/graph_bytes.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

constexpr int deepest_value = 1000;  // as Datum nests

class GraphDecoder {
 public:
  GraphDecoder(std::string_view bytes, const Graph& base, const GraphBytes& of_base)
      : base_(base), all_(bytes), symbols_(of_base.symbols) {
    graph_.share_facts(base);
  }

  Graph run() {
    ByteReader declared(all_.text());
    while (!declared.done()) declare(declared);
    graph_.set_default_dtype(dtype());
    read_values();
    for (size_t left = all_.count(); left > 0; --left) read_node();
    check(std::all_of(defined_.begin(), defined_.end(), [](bool defined) { return defined; }));
    for (size_t left = all_.count(); left > 0; --left) {
      std::string name(all_.text());
      graph_.add_output(std::move(name), value());
    }
    check(all_.done());
    return std::move(graph_);
  }

 private:
  static void check(bool holds) {
    if (!holds) throw MalformedBytes();
  }

  void declare(ByteReader& from) {
    const uint8_t form = from.byte();
    check(form <= (tag::size | tag::named | tag::product | tag::quotient));
    const std::string_view name = form & tag::named ? from.text() : std::string_view();
    const bool product = form & tag::product, quotient = form & tag::quotient;
    // A symbol that a pass made has either a name or one definition.
    check(!(product && quotient) && !(!name.empty() && (product || quotient)));
    if (!product && !quotient) {
      symbols_.emplace_back(graph_.facts()->symbol(name, form & tag::size));
      return;
    }
    const Dim left = dim(from), right = dim(from);
    symbols_.push_back(product ? left * right : floor_divide(left, right));
  }

  Dim dim(ByteReader& from) {
    switch (from.byte()) {
      case tag::constant:
        return Dim(from.integer());
      case tag::symbol:
        return symbols_[from.index(symbols_.size())];
      case tag::polynomial:
        return polynomial(from);
      default:
        throw MalformedBytes();
    }
  }

  Dim polynomial(ByteReader& from) {
    std::vector<Dim> terms{Dim(from.integer())};
    for (size_t left = from.count(); left > 0; --left) {
      const Dim factor(from.integer());
      terms.push_back(factor * symbols_[from.index(symbols_.size())]);
    }
    return sum_of(terms);
  }

  DType dtype() {
    const uint8_t read = all_.byte();
    check(read < std::size(all_dtypes));
    return all_dtypes[read];
  }

  void read_values() {
    const size_t count = all_.count();
    defined_.reserve(count);
    for (size_t left = count; left > 0; --left) {
      const uint8_t role = all_.byte();
      check(role == tag::made || role == tag::input || role == tag::constant_value);
      Value value = described();
      defined_.push_back(role != tag::made);
      if (role == tag::made) graph_.add_value(std::move(value));
      if (role == tag::input) graph_.add_input(std::move(value));
      if (role == tag::constant_value) add_constant(std::move(value));
    }
  }

  Value described() {
    const size_t known = all_.index(base_.values().size() + 1);
    if (known > 0) return base_.values()[known - 1];
    Value value{.name = std::string(all_.text())};
    value.dtype = dtype();
    value.ranked = all_.flag();
    const size_t rank = all_.count();
    check(value.ranked || rank == 0);
    value.dims.reserve(rank);
    for (size_t left = rank; left > 0; --left) value.dims.push_back(dim(all_));
    return value;
  }

  void add_constant(Value value) {
    Tensor tensor = this->tensor(value.dtype);
    const auto equal = [](const Dim& stated, int64_t dim) {
      return resolve(stated).is_constant(dim);
    };
    check(std::equal(value.dims.begin(), value.dims.end(), tensor.dims().begin(),
                     tensor.dims().end(), equal));
    graph_.add_constant(std::move(value.name), std::move(tensor));
  }

  Tensor tensor(DType dtype) {
    if (all_.flag()) {
      const Tensor& known = base_.constants()[all_.index(base_.constants().size())].tensor;
      check(known.dtype() == dtype);
      return known;
    }
    Dims dims;
    for (size_t left = all_.count(); left > 0; --left) dims.push_back(all_.integer());
    const std::string_view elements = all_.raw(bytes_of(dtype, dims));
    if (dtype == DType::boolean) {
      check(std::all_of(elements.begin(), elements.end(), [](char c) { return c == 0 || c == 1; }));
    }
    Tensor tensor(dtype, dims);
    std::copy(elements.begin(), elements.end(), static_cast<char*>(tensor.mutable_raw_data()));
    return tensor;
  }

  static size_t bytes_of(DType dtype, const Dims& dims) {
    size_t bytes = size_of(dtype);
    for (const int64_t dim : dims) {
      check(dim >= 0 && !__builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes));
    }
    return bytes;
  }

  ValueId value() {
    const size_t at = all_.index(defined_.size());
    check(defined_[at]);
    return static_cast<ValueId>(at);
  }

  void read_node() {
    Node node{.op = &op(), .arguments = {}, .outputs = {}};
    const size_t count = all_.count();
    const size_t ports = node.op->inputs.size();
    check(node.op->list_input() < 0 ? count == ports : count + 1 >= ports);
    node.arguments.reserve(count);
    for (size_t left = count; left > 0; --left) node.arguments.push_back(argument());
    for (size_t left = all_.count(); left > 0; --left) node.outputs.push_back(made());
    const size_t made = node.outputs.size(), stated = node.op->outputs.size();
    check(made > 0 && (node.op->list_output() < 0 ? made == stated : made + 1 >= stated));
    keep_nested_graphs(node);
    graph_.add_node(std::move(node));
  }

  const OpDef& op() {
    const size_t at = all_.index(ops_.size() + 1);
    if (at == ops_.size()) {
      const OpDef* op = try_find_op(all_.text());
      check(op != nullptr);
      ops_.push_back(op);
    }
    return *ops_[at];
  }

  Argument argument() {
    const size_t at = all_.index(defined_.size() + 1);
    if (at == 0) return datum(0);
    check(defined_[at - 1]);
    return static_cast<ValueId>(at - 1);
  }

  ValueId made() {
    const size_t at = all_.index(defined_.size());
    check(!defined_[at]);
    defined_[at] = true;
    return static_cast<ValueId>(at);
  }

  Datum datum(int depth) {
    check(depth < deepest_value);
    switch (all_.byte()) {
      case tag::none:
        return Datum();
      case tag::no:
        return Datum(false);
      case tag::yes:
        return Datum(true);
      case tag::integer:
        return Datum(dim(all_));
      case tag::real:
        return Datum(all_.real());
      case tag::text:
        return Datum(std::string(all_.text()));
      case tag::dtype:
        return Datum(dtype());
      case tag::ellipsis:
        return Datum(Ellipsis{});
      case tag::tuple:
        return tuple(depth);
      case tag::slice: {
        Slice slice;
        slice.start = datum(depth + 1);
        slice.stop = datum(depth + 1);
        slice.step = datum(depth + 1);
        return Datum(std::move(slice));
      }
      default:
        throw MalformedBytes();
    }
  }

  Datum tuple(int depth) {
    Tuple items;
    for (size_t left = all_.count(); left > 0; --left) items.push_back(datum(depth + 1));
    return Datum(std::move(items));
  }

  const Graph& base_;
  ByteReader all_;
  Graph graph_;
  std::vector<Dim> symbols_;
  std::vector<bool> defined_;  // per value
  std::vector<const OpDef*> ops_;
};

}  // namespace

std::optional<Graph> made_from_bytes(std::string_view bytes, const Graph& base,
                                     const GraphBytes& of_base) {
  try {
    return GraphDecoder(bytes, base, of_base).run();
  } catch (const MalformedBytes&) {
    return std::nullopt;
  } catch (const Error&) {  // sizes that cannot be, tuples that nest too deep
    return std::nullopt;
  }
}

}  // namespace mithril
