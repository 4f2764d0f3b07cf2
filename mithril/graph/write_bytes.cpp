// Writes graphs as bytes.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mithril/graph/byte_stream.hpp"
#include "mithril/graph/byte_tags.hpp"
#include "mithril/graph/graph_bytes.hpp"
#include "mithril/infer/application.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr size_t most_constant_bytes = size_t{16} << 20;

// The graph has no form in bytes.
struct Formless {};

// Numbers the symbols; the symbols of a definition come before it.
class SymbolWriter {
 public:
  // The symbols that the reader knows get the first numbers.
  explicit SymbolWriter(const std::vector<Dim>& known) {
    for (const Dim& dim : known) {
      if (Symbol* symbol = dim.symbol()) numbers_.emplace(symbol, symbols_.size());
      symbols_.push_back(dim);
    }
  }

  void write(const Dim& dim, ByteWriter& to) {
    const Dim now = resolve(dim);
    if (now.is_constant()) {
      to.byte(tag::constant);
      return to.integer(now.constant());
    }
    if (Symbol* symbol = now.symbol()) {
      to.byte(tag::symbol);
      return to.number(number_of(symbol));
    }
    const auto terms = now.polynomial()->terms();
    to.byte(tag::polynomial);
    to.integer(now.polynomial()->constant);
    to.number(terms.size());
    for (const Term& term : terms) {
      to.integer(term.factor);
      to.number(number_of(term.symbol));
    }
  }

  // Terms are sorted by the ages of their symbols, and a reader creates symbols in the order of
  // their numbers. Declaring them by age keeps the order of terms.
  void declare_by_age(std::vector<Dim> symbols) {
    std::stable_sort(symbols.begin(), symbols.end(), is_older);
    for (const Dim& dim : symbols) number_of(dim.symbol());
  }
  static bool are_by_age(const std::vector<Dim>& symbols) {
    return std::is_sorted(symbols.begin(), symbols.end(), is_older);
  }

  std::string take() { return declared_.take(); }
  std::vector<Dim> symbols() { return std::move(symbols_); }

 private:
  static bool is_older(const Dim& a, const Dim& b) { return a.symbol()->age < b.symbol()->age; }

  size_t number_of(Symbol* symbol) {
    const auto known = numbers_.find(symbol);
    return known != numbers_.end() ? known->second : declare(symbol);
  }

  // Without recursion, because definitions form long chains.
  size_t declare(Symbol* symbol) {
    std::vector<Symbol*> stack{symbol};
    std::unordered_set<Symbol*> begun;
    while (!stack.empty()) {
      Symbol* now = stack.back();
      if (numbers_.contains(now)) {
        stack.pop_back();
        continue;
      }
      const auto before = static_cast<std::ptrdiff_t>(stack.size());
      const auto need = [&](Symbol* operand) {
        if (!numbers_.contains(operand)) stack.push_back(operand);
      };
      each_operand(now, need);
      std::reverse(stack.begin() + before, stack.end());  // terms keep their order
      if (std::ssize(stack) == before) {
        enter(now);
      } else if (!begun.insert(now).second) {
        throw Formless();
      }
    }
    return numbers_.at(symbol);
  }

  template <typename Visit>
  static void each_operand(const Symbol* symbol, Visit visit) {
    if (const Product* product = symbol->product()) {
      each_symbol(resolve(Dim(product->left)), visit);
      each_symbol(resolve(Dim(product->right)), visit);
    }
    if (const Quotient* quotient = symbol->quotient()) {
      each_symbol(resolve(quotient->dividend), visit);
      each_symbol(resolve(quotient->divisor), visit);
    }
  }

  void enter(Symbol* symbol) {
    const Product* product = symbol->product();
    const Quotient* quotient = symbol->quotient();
    const auto name = symbol->name();
    declared_.byte(static_cast<uint8_t>((symbol->size ? tag::size : 0) | (name ? tag::named : 0) |
                                        (product ? tag::product : 0) |
                                        (quotient ? tag::quotient : 0)));
    if (name) declared_.text(*name);
    if (product) {
      write(Dim(product->left), declared_);
      write(Dim(product->right), declared_);
    }
    if (quotient) {
      write(quotient->dividend, declared_);
      write(quotient->divisor, declared_);
    }
    numbers_.emplace(symbol, symbols_.size());
    symbols_.push_back(Dim(symbol));
  }

  std::unordered_map<Symbol*, size_t> numbers_;
  std::vector<Dim> symbols_;
  ByteWriter declared_;
};

class GraphEncoder {
 public:
  explicit GraphEncoder(const Graph& graph) : graph_(graph), symbols_({}) {}
  GraphEncoder(const Graph& made, const Graph& base, const GraphBytes& of_base)
      : graph_(made), base_(&base), symbols_(of_base.symbols) {
    const std::string_view bytes = of_base.bytes;
    for (size_t i = 0; i < of_base.values.size(); i += 2) {
      known_.emplace(bytes.substr(of_base.values[i], of_base.values[i + 1]), i / 2);
    }
    for (size_t i = 0; i < base.constants().size(); ++i) {
      known_constants_.emplace(base.constants()[i].tensor.raw_data(), i);
    }
  }

  // `symbols`: the symbols of the graph; empty: they are numbered as they appear.
  GraphBytes run(std::vector<Dim> symbols = {}) {
    symbols_.declare_by_age(std::move(symbols));
    GraphBytes result;
    bytes_.byte(static_cast<uint8_t>(graph_.default_dtype()));
    write_values();
    bytes_.number(graph_.nodes().size());
    for (const Node& node : graph_.nodes()) write(node);
    bytes_.number(graph_.outputs().size());
    for (const Output& output : graph_.outputs()) {
      bytes_.text(output.name);
      bytes_.number(index(output.value));
    }
    ByteWriter all;
    all.text(symbols_.take());
    for (size_t i = 0; i < described_.size(); i += 2) described_[i] += all.size();
    result.values = std::move(described_);
    all.raw(bytes_.take());
    result.bytes = all.take();
    result.symbols = symbols_.symbols();
    return result;
  }

 private:
  void write_values() {
    const size_t count = graph_.values().size();
    std::vector<uint8_t> roles(count, tag::made);
    std::vector<const Tensor*> tensors(count);
    for (const ValueId id : graph_.inputs()) roles[index(id)] = tag::input;
    for (const Constant& constant : graph_.constants()) {
      roles[index(constant.value)] = tag::constant_value;
      tensors[index(constant.value)] = &constant.tensor;
    }
    check_order();
    bytes_.number(count);
    described_.reserve(2 * count);
    for (size_t i = 0; i < count; ++i) {
      bytes_.byte(roles[i]);
      const size_t begin = bytes_.size();
      if (base_) {
        refer(graph_.values()[i]);
      } else {
        describe(graph_.values()[i]);
        described_.push_back(begin);
        described_.push_back(bytes_.size() - begin);
      }
      if (tensors[i]) write(*tensors[i]);
    }
  }

  // Whoever reads adds inputs and constants in the order of the values.
  void check_order() const {
    const auto before = [](const Constant& a, const Constant& b) { return a.value < b.value; };
    const auto& constants = graph_.constants();
    const bool in_order = std::is_sorted(graph_.inputs().begin(), graph_.inputs().end()) &&
                          std::is_sorted(constants.begin(), constants.end(), before);
    if (!in_order) throw Formless();
  }

  void describe(const Value& value) {
    bytes_.text(value.name);
    bytes_.byte(static_cast<uint8_t>(value.dtype));
    bytes_.byte(value.ranked);
    bytes_.number(value.dims.size());
    for (const Dim& dim : value.dims) symbols_.write(dim, bytes_);
  }

  // A value that the base has is its number there, others are described after a zero.
  void refer(const Value& value) {
    const size_t begin = bytes_.size();
    bytes_.number(0);
    describe(value);
    const auto known = known_.find(bytes_.from(begin + 1));
    if (known == known_.end()) return;
    bytes_.cut(begin);
    bytes_.number(known->second + 1);
  }

  void write(const Tensor& tensor) {
    if (tensor.foreign()) throw Formless();
    if (base_) {
      const auto known = known_constants_.find(tensor.raw_data());
      const bool same = known != known_constants_.end() &&
                        identical(base_->constants()[known->second].tensor, tensor);
      bytes_.byte(same);
      if (same) return bytes_.number(known->second);
    }
    constant_bytes_ += tensor.bytes();
    if (constant_bytes_ > most_constant_bytes) throw Formless();
    bytes_.number(tensor.dims().size());
    for (const int64_t dim : tensor.dims()) bytes_.integer(dim);
    bytes_.raw({static_cast<const char*>(tensor.raw_data()), tensor.bytes()});
  }

  void write(const Node& node) {
    const auto [at, fresh] = ops_.try_emplace(node.op, ops_.size());
    bytes_.number(at->second);
    if (fresh) bytes_.text(node.op->name);
    bytes_.number(node.arguments.size());
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) {
        bytes_.number(index(*id) + 1);
      } else {
        bytes_.number(0);
        write(std::get<Datum>(argument));
      }
    }
    bytes_.number(node.outputs.size());
    for (const ValueId id : node.outputs) bytes_.number(index(id));
  }

  void write(const Datum& datum) {
    switch (datum.kind()) {
      case kind::bool_value:
        return bytes_.byte(datum.flag() ? tag::yes : tag::no);
      case kind::int_value:
        bytes_.byte(tag::integer);
        return symbols_.write(datum.dim(), bytes_);
      case kind::float_value:
        bytes_.byte(tag::real);
        return bytes_.real(datum.real());
      case kind::string:
        bytes_.byte(tag::text);
        return bytes_.text(datum.text());
      case kind::dtype:
        bytes_.byte(tag::dtype);
        return bytes_.byte(static_cast<uint8_t>(datum.dtype()));
      case kind::ellipsis:
        return bytes_.byte(tag::ellipsis);
      case kind::tuple:
        bytes_.byte(tag::tuple);
        bytes_.number(datum.tuple().size());
        for (const Datum& item : datum.tuple()) write(item);
        return;
      case kind::slice:
        bytes_.byte(tag::slice);
        write(datum.slice().start);
        write(datum.slice().stop);
        return write(datum.slice().step);
      default:
        return bytes_.byte(tag::none);
    }
  }

  const Graph& graph_;
  const Graph* base_ = nullptr;
  SymbolWriter symbols_;
  ByteWriter bytes_;
  std::unordered_map<const OpDef*, size_t> ops_;
  std::unordered_map<std::string_view, size_t> known_;       // values of the base, by description
  std::unordered_map<const void*, size_t> known_constants_;  // of the base, by their elements
  std::vector<size_t> described_;                            // as GraphBytes::values
  size_t constant_bytes_ = 0;
};

}  // namespace

std::optional<GraphBytes> to_bytes(const Graph& graph) {
  try {
    GraphBytes made = GraphEncoder(graph).run();
    if (SymbolWriter::are_by_age(made.symbols)) return made;
    return GraphEncoder(graph).run(std::move(made.symbols));
  } catch (const Formless&) {
    return std::nullopt;
  }
}

std::optional<std::string> bytes_of_made(const Graph& made, const Graph& base,
                                         const GraphBytes& of_base) {
  try {
    GraphBytes bytes = GraphEncoder(made, base, of_base).run();
    bytes.symbols.erase(bytes.symbols.begin(), bytes.symbols.begin() + std::ssize(of_base.symbols));
    if (SymbolWriter::are_by_age(bytes.symbols)) return std::move(bytes.bytes);
    return GraphEncoder(made, base, of_base).run(std::move(bytes.symbols)).bytes;
  } catch (const Formless&) {
    return std::nullopt;
  }
}

}  // namespace mithril
