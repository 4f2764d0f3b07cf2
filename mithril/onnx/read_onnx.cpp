#include "mithril/onnx/read_onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/importer.hpp"

namespace mithril {
namespace onnx {
namespace {

// A symbol of a model is an identifier: "p2o.DynamicDimension.0" becomes p2o_DynamicDimension_0.
std::string symbol_of(const std::string& name) {
  std::string symbol = name;
  for (char& c : symbol)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (std::isdigit(static_cast<unsigned char>(symbol.front()))) symbol.insert(0, "_");
  return symbol;
}

// The symbols of the names of sizes. Names that differ have symbols that differ.
class SizeNames {
 public:
  explicit SizeNames(const GraphRecord& graph) {
    std::vector<std::string> others;
    for (const ValueRecord& input : graph.inputs) {
      if (!input.dims) continue;
      for (const StatedDim& dim : *input.dims) {
        const auto* name = std::get_if<std::string>(&dim);
        if (name && symbol_of(*name) == *name) symbols_[*name] = *name;
        if (name && symbol_of(*name) != *name) others.push_back(*name);
      }
    }
    std::set<std::string> taken;
    for (const auto& [name, symbol] : symbols_) taken.insert(symbol);
    for (const std::string& name : others) {
      if (symbols_.contains(name)) continue;
      std::string symbol = symbol_of(name);
      // Some exporters write "?" for each size that is not known.
      const bool is_name = symbol.find_first_not_of('_') != std::string::npos;
      while (is_name && !taken.insert(symbol).second) symbol += "_";
      symbols_[name] = is_name ? symbol : "";
    }
  }

  ShapeSpec shape(const ValueRecord& value) const {
    std::vector<DimSpec> dims;
    if (!value.dims) return ShapeSpec({rest()});
    for (const StatedDim& dim : *value.dims) {
      const auto* number = std::get_if<std::int64_t>(&dim);
      const auto* name = std::get_if<std::string>(&dim);
      const std::string symbol = name ? symbols_.at(*name) : "";
      dims.push_back(number ? DimSpec(*number) : symbol.empty() ? DimSpec(Any{}) : DimSpec(symbol));
    }
    return ShapeSpec(std::move(dims));
  }

 private:
  std::map<std::string, std::string> symbols_;  // "" for a name that means nothing
};

class FileImport {
 public:
  FileImport(const FileRecord& file, const OnnxOptions& options)
      : file_(file),
        options_(options),
        workspace_(options.dtype == DType::float64 ? ElementType::float64 : ElementType::float32),
        names_(file.graph),
        importer_(file),
        scope_{.graph = &file.graph, .workspace = &workspace_, .opsets = &file.opsets} {}

  OnnxOutline outline() {
    compose();
    OnnxOutline made{workspace_.model(), {}};
    for (const auto& [key, known] : workspace_.parameters()) made.parameters[key] = known.dims();
    return made;
  }

  OnnxModel model() {
    compose();
    TensorMap parameters;
    for (const auto& [key, known] : workspace_.parameters()) parameters[key] = *known;
    return {workspace_.model(), std::move(parameters), std::move(workspace_.renamed()),
            file_.metadata,     std::move(lengths_),   std::move(counts_)};
  }

 private:
  void compose() {
    check_file();
    find_inputs();
    importer_.open(scope_);
    compose_outputs();
    refuse_problems();
    Model& model = workspace_.model();
    model.expose_keys(made_);
    std::vector<std::string> data;
    const std::vector<std::string> keys = model.input_keys();
    for (const std::string& key : inputs_)
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) data.push_back(key);
    model.set_cin(data);
  }

  void check_file() {
    const auto opset = file_.opsets.find("");
    if (opset != file_.opsets.end() && opset->second > newest_opset) {
      raise({.kind = ErrorKind::value,
             .code = "E1310",
             .path = file_.path,
             .message = "the file has opset " + std::to_string(opset->second),
             .facts = {{"expected", "at most " + std::to_string(newest_opset)}},
             .help = "convert the file with onnx.version_converter"});
    }
    if (file_.graph.has_sparse)
      importer_.note("the graph", "sparse initializers: Mithril has no sparse tensors");
  }

  // An input that is an initializer, too, has a default: the model has it as a parameter.
  void find_inputs() {
    std::set<std::string> initialized;
    for (const TensorRecord& record : file_.graph.initializers) initialized.insert(record.name);
    check_options();
    for (const ValueRecord& input : file_.graph.inputs) {
      if (input.name.empty()) {
        raise({.kind = ErrorKind::parse,
               .code = "E1308",
               .path = file_.path,
               .message = "the graph of the file is wrong: an input has no name",
               .help = help_for_graph});
      }
      if (scope_.values.contains(input.name)) continue;  // the import refuses two of one name
      if (options_.constants.contains(input.name) || !initialized.contains(input.name))
        scope_.values[input.name] = composed_input(input);
    }
  }

  void check_options() const {
    std::vector<std::string> names, tensors;
    for (const ValueRecord& input : file_.graph.inputs) {
      names.push_back(input.name);
      const auto length = length_of(input);
      if (!input.is_sequence) tensors.push_back(input.name);
      for (std::int64_t i = 0; i < length.value_or(0); ++i)
        tensors.push_back(element_of(input, i).name);
    }
    for (const auto& [name, tensor] : options_.constants) check_input(name, "constants", tensors);
    for (const auto& [name, shape] : options_.shapes) check_input(name, "shapes", tensors);
    for (const auto& [name, length] : options_.lengths) check_input(name, "lengths", names);
  }

  void check_input(const std::string& name, const char* option,
                   const std::vector<std::string>& names) const {
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown_name(ErrorKind::name, "E1312", std::string("input for ") + option, name, "", names);
  }

  // The number of elements of a sequence; nothing if it is not stated, or if there is no sequence.
  std::optional<std::int64_t> length_of(const ValueRecord& input) const {
    const auto stated = options_.lengths.find(input.name);
    if (stated == options_.lengths.end()) return std::nullopt;
    const auto& length = stated->second;
    const bool is_in_range = length && *length >= 0 && *length <= most_items;
    if (length ? input.is_sequence && is_in_range : input.is_optional) return length;
    raise({.kind = ErrorKind::value,
           .code = "E1390",
           .path = input.name,
           .message = "this length does not fit the input",
           .facts = {{"length", length ? std::to_string(*length) : "none"},
                     {"input", kind_of(input)}},
           .help = "a sequence has 0 to " + std::to_string(most_items) +
                   " elements, and only an optional has none"});
  }

  std::string kind_of(const ValueRecord& input) const {
    return std::string(input.is_optional ? "an optional " : "a ") +
           (input.is_sequence ? "sequence of " : "tensor of ") + text_of(input);
  }

  // Elements may have different sizes, so the names of sizes mean nothing.
  static ValueRecord element_of(const ValueRecord& sequence, std::int64_t i) {
    ValueRecord element = sequence;
    element.name += "." + std::to_string(i);
    if (!element.dims) return element;
    for (StatedDim& dim : *element.dims)
      if (std::holds_alternative<std::string>(dim)) dim = std::monostate();
    return element;
  }

  Value composed_input(const ValueRecord& input) {
    Value made;
    made.name = input.name;
    made.type = input.type;
    const auto length = length_of(input);
    if (!input.other_kind.empty()) return refused_input(input, "it is a " + input.other_kind);
    if (options_.lengths.contains(input.name) && !length) {
      made.is_empty = true;
      return made;
    }
    if (!input.is_sequence) return tensor_input(input);
    if (!length)
      return refused_input(input, "it is a sequence; lengths= states its number of elements");
    made.is_sequence = true;
    for (std::int64_t i = 0; i < *length; ++i) {
      made.items.push_back(tensor_input(element_of(input, i)));
      made.is_missing = made.is_missing || made.items.back().is_missing;
    }
    return made;
  }

  Value refused_input(const ValueRecord& input, const std::string& problem) {
    importer_.note("input " + input.name, problem);
    Value made;
    made.is_missing = true;
    return made;
  }

  Value tensor_input(const ValueRecord& input) {
    if (const Tensor* constant = options_.constants.find(input.name))
      return constant_input(input, *constant);
    if (!held_dtype(input.type))
      return refused_input(input, "it is a tensor of " + name_of(input.type));
    if (input.dims && input.dims->size() > most_axes)
      return refused_input(input, "it has " + std::to_string(input.dims->size()) +
                                      " axes, expected at most " + std::to_string(most_axes));
    const std::string key = workspace_.port_name(input.name);
    Model& model = workspace_.model();
    static_cast<void>(model.add_input(key));
    const auto stated = std::find_if(options_.shapes.begin(), options_.shapes.end(),
                                     [&](const auto& item) { return item.first == input.name; });
    const bool is_replaced = stated != options_.shapes.end();
    model.set_shapes({{key, is_replaced ? stated->second : names_.shape(input)}});
    model.set_types({{key, workspace_.port_type(input.type)}});
    inputs_.push_back(key);
    Value value(model[key], input.type);
    value.name = input.name;
    return value;
  }

  Value constant_input(const ValueRecord& input, const Tensor& tensor) const {
    const auto dtype = held_dtype(input.type);
    if (!dtype || is_floating(*dtype) != is_floating(tensor.dtype()) || !fits(input, tensor)) {
      raise({.kind = ErrorKind::value,
             .code = "E1313",
             .path = input.name,
             .message = "this constant does not fit the input",
             .facts = {{"constant", dtype_and_dims(tensor)}, {"input", text_of(input)}}});
    }
    Value value(tensor.to(*dtype), input.type);
    value.name = input.name;
    return value;
  }

  static bool fits(const ValueRecord& input, const Tensor& tensor) {
    if (!input.dims) return true;
    if (input.dims->size() != tensor.dims().size()) return false;
    for (std::size_t i = 0; i < input.dims->size(); ++i) {
      const auto* size = std::get_if<std::int64_t>(&(*input.dims)[i]);
      if (size && *size != tensor.dims()[i]) return false;
    }
    return true;
  }

  std::string text_of(const ValueRecord& input) const {
    return name_of(input.type) + (input.dims ? to_string(names_.shape(input)) : "");
  }

  void compose_outputs() {
    for (const ValueRecord& output : file_.graph.outputs) {
      const Value value = importer_.need(scope_, output.name);
      if (value.is_missing) continue;
      const bool is_stated = output.type != ElementType::undefined;
      if (is_stated && !value.is_empty && value.is_sequence != output.is_sequence) {
        importer_.note("output " + output.name,
                       value.is_sequence ? "it is a sequence, and the file states a tensor"
                                         : "it is a tensor, and the file states a sequence");
        continue;
      }
      if (value.is_empty) {
        lengths_[output.name] = std::nullopt;
      } else if (value.is_sequence) {
        lengths_[output.name] = static_cast<std::int64_t>(value.items.size());
        for (std::size_t i = 0; i < value.items.size(); ++i)
          add_output(output.name + "." + std::to_string(i), value.items[i], output.type);
      } else {
        add_output(output.name, value, output.type);
      }
    }
  }

  void add_output(const std::string& name, const Value& value, ElementType stated) {
    const ElementType type = stated == ElementType::undefined ? value.type : stated;
    if (type != value.type || !held_dtype(type)) {
      importer_.note("output " + name, refused_type(value.type, type));
      return;
    }
    const Connection result = workspace_.exact(workspace_.connection(value), type);
    made_.emplace_back(output_name(name), apply("buffer", {result}));
    if (!value.count) return;
    counts_[name] = value.count_axis;
    made_.emplace_back(output_name(name + ".count"), apply("buffer", {*value.count}));
  }

  std::string refused_type(ElementType made, ElementType stated) const {
    if (made != stated)
      return "it is stated as " + name_of(stated) + ", and computed as " + name_of(made);
    return "results of models do not have the type " + name_of(stated) + " yet";
  }

  // An output may have the name of an input or of a parameter.
  std::string output_name(const std::string& name) {
    const std::string port = workspace_.port_name(name);
    const std::vector<std::string> taken = workspace_.model().input_keys();
    std::string free = port;
    while (std::find(taken.begin(), taken.end(), free) != taken.end() || outputs_.contains(free))
      free += "_output";
    outputs_.insert(free);
    if (free != port) workspace_.renamed()[free] = name;
    return free;
  }

  void refuse_problems() const {
    if (importer_.problems().empty()) return;
    raise({.kind = ErrorKind::value,
           .code = "E1311",
           .path = file_.path,
           .message = "the file cannot be imported",
           .facts = importer_.problems(),
           .help = help_for_problems()});
  }

  // How to state the rank of the first input that the file gives none.
  std::string help_for_problems() const {
    const auto& weights = file_.graph.initializers;
    const auto& stated = options_.shapes;
    for (const ValueRecord& input : file_.graph.inputs) {
      const auto is_weight = [&](const TensorRecord& tensor) { return tensor.name == input.name; };
      const auto is_stated = [&](const auto& entry) { return entry.first == input.name; };
      if (input.dims || input.is_sequence || options_.constants.contains(input.name) ||
          std::any_of(stated.begin(), stated.end(), is_stated) ||
          std::any_of(weights.begin(), weights.end(), is_weight)) {
        continue;
      }
      const std::string name = printable(input.name);
      return fmt::format(
          "the file gives the input '{}' no sizes; state them: shapes={{\"{}\": [None, 3, 224, "
          "224]}}, or --shape {}=1,3,224,224 of the command",
          name, name, name);
    }
    return "docs/onnx.md lists the ops that can be";
  }

  const FileRecord& file_;
  const OnnxOptions& options_;
  Workspace workspace_;
  const SizeNames names_;
  Importer importer_;
  Scope scope_;
  std::vector<std::string> inputs_;
  std::set<std::string> outputs_;  // their names
  std::vector<std::pair<std::string, Connection>> made_;
  std::map<std::string, std::optional<std::int64_t>> lengths_;
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace
}  // namespace onnx

OnnxModel read_onnx(const std::string& path, const OnnxOptions& options) {
  const onnx::FileRecord file = onnx::read_file(path);
  return onnx::FileImport(file, options).model();
}

OnnxOutline outline_onnx(const std::string& path, const OnnxOptions& options) {
  const onnx::FileRecord file = onnx::read_file(path);
  return onnx::FileImport(file, options).outline();
}

}  // namespace mithril
