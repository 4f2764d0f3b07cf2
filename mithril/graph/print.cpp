// The text form of a graph, and equality, which compares texts. docs/graph-text.md has the grammar.
#include <algorithm>
#include <limits>

#include "mithril/base/text.hpp"
#include "mithril/graph/dim_writer.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/graph/short_text.hpp"
#include "mithril/graph/text_syntax.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

struct PrintOptions {
  bool numbered_symbols = false;
  bool elements = true;  // of constants
  bool texts = true;     // values that are strings, such as graphs in nodes
  size_t most_elements = std::numeric_limits<size_t>::max();
};

std::string elements_text(const Tensor& given, size_t most) {
  const bool is_wide = !is_low_bit(given.dtype());
  const Tensor tensor = is_wide ? given.host() : given.host().to(widened(given.dtype()));
  std::string text = "{";
  visit_dtype(tensor.dtype(), [&](auto zero) {
    const auto elements = tensor.values<decltype(zero)>();
    const size_t shown = std::min(elements.size(), most);
    for (size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + element_text(elements[i]);
    if (shown < elements.size()) {
      text += ", ... " + std::to_string(elements.size() - shown) + " more";
    }
  });
  return text + "}";
}

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, PrintOptions options)
      : graph_(graph), options_(options), dims_(options.numbered_symbols) {}

  std::string run() {
    text_ = "graph {\n";
    if (graph_.default_dtype() != DType::float32) {
      statement("default " + std::string(name(graph_.default_dtype())));
    }
    for (const ValueId id : graph_.inputs()) {
      declare({id}, {});
      statement("input " + declaration(id));
    }
    for (const Constant& constant : graph_.constants()) {
      declare({constant.value}, {});
      std::string elements;
      if (options_.elements) {
        elements = " = " + elements_text(constant.tensor, options_.most_elements);
      }
      statement("constant " + declaration(constant.value) + elements);
    }
    for (const Node& node : graph_.nodes()) write(node);
    for (const Output& output : graph_.outputs()) {
      statement("output " + name_text(output.name) + " = " + name_of(output.value));
    }
    return std::move(text_) + "}\n";
  }

 private:
  void statement(const std::string& line) { text_ += "  " + line + "\n"; }

  // Declares the symbols of the next statement.
  void declare(const std::vector<ValueId>& made, const std::vector<Argument>& arguments) {
    std::vector<Dim> shapes, values;
    for (const ValueId id : made) {
      if (!exists(id)) continue;
      const std::vector<Dim>& dims = graph_.value(id).dims;
      shapes.insert(shapes.end(), dims.begin(), dims.end());
    }
    for (const Argument& argument : arguments) {
      if (const Datum* datum = std::get_if<Datum>(&argument)) {
        map_dims(*datum, [&](const Dim& dim) { return values.emplace_back(dim); });
      }
    }
    for (const std::string& declaration : dims_.declare(shapes, values)) statement(declaration);
  }

  // Graphs that are not valid are printed too, to show what is wrong with them.
  bool exists(ValueId id) const { return index(id) < graph_.values().size(); }
  std::string name_of(ValueId id) const {
    if (!exists(id)) return "`no value " + std::to_string(static_cast<int32_t>(id)) + "`";
    return name_text(graph_.value(id).name);
  }

  std::string declaration(ValueId id) {
    if (!exists(id)) return name_of(id);
    const Value& value = graph_.value(id);
    std::string dims = value.ranked ? "" : "...";
    for (size_t i = 0; i < value.dims.size(); ++i) {
      dims += (i > 0 ? ", " : "") + dims_.text(value.dims[i]);
    }
    return name_of(id) + ": " + std::string(name(value.dtype)) + "[" + dims + "]";
  }

  void write(const Node& node) {
    declare(node.outputs, node.arguments);
    std::vector<std::string> outputs;
    for (const ValueId id : node.outputs) outputs.push_back(declaration(id));
    std::vector<std::string> arguments;
    size_t at = 0;
    for (const PortDef& port : node.op->inputs) {
      const size_t count = port.list ? node.list_size() : 1;
      std::vector<std::string> items;
      for (size_t end = at + count; at < std::min(end, node.arguments.size()); ++at) {
        items.push_back(argument(node.arguments[at]));
      }
      const std::string text = join(items, ", ");
      arguments.push_back(port.name + ": " + (port.list ? "[" + text + "]" : text));
    }
    statement(join(outputs, ", ") + " = " + node.op->name + "(" + join(arguments, ", ") + ")");
  }

  std::string argument(const Argument& argument) {
    const ValueId* id = tensor_of(argument);
    if (!id) return datum(std::get<Datum>(argument));
    const std::string text = name_of(*id);
    return dims_.is_symbol(text) ? "`" + text + "`" : text;
  }

  std::string datum(const Datum& datum) {
    switch (datum.kind()) {
      case kind::bool_value:
        return datum.flag() ? "True" : "False";
      case kind::int_value:
        return dims_.text(datum.dim());
      case kind::float_value:
        return real_text(datum.real());
      case kind::string:
        return options_.texts ? string_text(datum.text()) : "\"\"";
      case kind::dtype:
        return std::string(name(datum.dtype()));
      case kind::ellipsis:
        return "...";
      case kind::tuple:
        return tuple(datum.tuple());
      case kind::slice: {
        const Slice& slice = datum.slice();
        return "slice(" + this->datum(slice.start) + ", " + this->datum(slice.stop) + ", " +
               this->datum(slice.step) + ")";
      }
      default:
        return "None";
    }
  }

  std::string tuple(const Tuple& items) {
    std::string text = "(";
    for (size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ", " : "") + datum(items[i]);
    return text + (items.size() == 1 ? ",)" : ")");
  }

  const Graph& graph_;
  PrintOptions options_;
  DimWriter dims_;
  std::string text_;
};

// Compares the strings.
bool same_texts(const Datum& a, const Datum& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == kind::string) return same(a, b);
  return a.kind() != kind::tuple ||
         std::equal(a.tuple().begin(), a.tuple().end(), b.tuple().begin(), b.tuple().end(),
                    [](const Datum& x, const Datum& y) { return same_texts(x, y); });
}

bool same_texts(const Node& a, const Node& b) {
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const Argument& x, const Argument& y) {
                      const Datum *left = std::get_if<Datum>(&x), *right = std::get_if<Datum>(&y);
                      return left && right ? same_texts(*left, *right) : left == right;
                    });
}

bool same_elements(const Constant& a, const Constant& b) {
  return identical(a.tensor.host(), b.tensor.host());
}

}  // namespace

std::string to_string(const Graph& graph) { return GraphWriter(graph, {}).run(); }

std::string short_text(const Graph& graph) {
  return GraphWriter(graph, {.most_elements = 8}).run();
}

bool operator==(const Graph& a, const Graph& b) {
  const PrintOptions options{.numbered_symbols = true, .elements = false, .texts = false};
  return std::equal(a.constants().begin(), a.constants().end(), b.constants().begin(),
                    b.constants().end(), same_elements) &&
         GraphWriter(a, options).run() == GraphWriter(b, options).run() &&
         std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(),
                    [](const Node& x, const Node& y) { return same_texts(x, y); });
}

}  // namespace mithril
