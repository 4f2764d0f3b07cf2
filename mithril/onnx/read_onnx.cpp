#include "mithril/onnx/read_onnx.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "mithril/base/names.hpp"
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

  OnnxModel run() {
    check_file();
    find_inputs();
    add_constants();
    importer_.open(scope_);
    std::vector<std::pair<std::string, Connection>> outputs = composed_outputs();
    refuse_problems();
    Model& model = workspace_.model();
    model.expose_keys(outputs);
    std::vector<std::string> data;
    const std::vector<std::string> keys = model.input_keys();
    for (const std::string& key : inputs_)
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) data.push_back(key);
    model.set_cin(data);
    return {model, std::move(workspace_.parameters()), std::move(workspace_.renamed()),
            file_.metadata};
  }

 private:
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
    std::vector<std::string> names;
    for (const ValueRecord& input : file_.graph.inputs) names.push_back(input.name);
    for (const auto& [name, tensor] : options_.constants) check_input(name, "constants", names);
    for (const auto& [name, shape] : options_.shapes) check_input(name, "shapes", names);
    for (const ValueRecord& input : file_.graph.inputs)
      if (!initialized.contains(input.name) && !options_.constants.contains(input.name) &&
          !scope_.values.contains(input.name))  // the import refuses a second input of the name
        add_input(input);
  }

  void check_input(const std::string& name, const char* option,
                   const std::vector<std::string>& names) const {
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown_name(ErrorKind::name, "E1312", std::string("input for ") + option, name, "", names);
  }

  void add_input(const ValueRecord& input) {
    Value& value = scope_.values[input.name];
    value.name = input.name;
    value.type = input.type;
    const auto dtype = held_dtype(input.type);
    if (!input.other_kind.empty() || !dtype) {
      value.is_missing = true;
      const std::string kind =
          input.other_kind.empty() ? "a tensor of " + name_of(input.type) : "a " + input.other_kind;
      importer_.note("input " + input.name, "it is " + kind);
      return;
    }
    if (input.dims && input.dims->size() > most_axes) {
      value.is_missing = true;
      importer_.note("input " + input.name, "it has " + std::to_string(input.dims->size()) +
                                                " axes, expected at most " +
                                                std::to_string(most_axes));
      return;
    }
    const std::string key = workspace_.port_name(input.name);
    Model& model = workspace_.model();
    static_cast<void>(model.add_input(key));
    const auto stated = std::find_if(options_.shapes.begin(), options_.shapes.end(),
                                     [&](const auto& item) { return item.first == input.name; });
    const bool is_replaced = stated != options_.shapes.end();
    model.set_shapes({{key, is_replaced ? stated->second : names_.shape(input)}});
    model.set_types({{key, workspace_.port_type(input.type)}});
    value.connection = model[key];
    inputs_.push_back(key);
  }

  void add_constants() {
    for (const ValueRecord& input : file_.graph.inputs) {
      const Tensor* given = options_.constants.find(input.name);
      if (!given) continue;
      const auto dtype = held_dtype(input.type);
      const Tensor& tensor = *given;
      if (!dtype || is_floating(*dtype) != is_floating(tensor.dtype()) || !fits(input, tensor)) {
        raise({.kind = ErrorKind::value,
               .code = "E1313",
               .path = input.name,
               .message = "this constant does not fit the input",
               .facts = {{"constant", dtype_and_dims(tensor)}, {"input", text_of(input)}}});
      }
      Value value(tensor.to(*dtype), input.type);
      value.name = input.name;
      scope_.values[input.name] = value;
    }
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

  std::vector<std::pair<std::string, Connection>> composed_outputs() {
    std::vector<std::pair<std::string, Connection>> outputs;
    for (const ValueRecord& output : file_.graph.outputs) {
      const Value value = importer_.need(scope_, output.name);
      if (value.is_missing) continue;
      if (value.is_sequence || value.is_empty) {
        importer_.note("output " + output.name, "it is no tensor");
        continue;
      }
      const ElementType type = output.type == ElementType::undefined ? value.type : output.type;
      if (type != value.type || !held_dtype(type)) {
        importer_.note("output " + output.name, refused_type(value.type, type));
        continue;
      }
      const Connection result = workspace_.exact(workspace_.connection(value), type);
      outputs.emplace_back(output_name(output.name), apply("buffer", {result}));
    }
    return outputs;
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
           .help = "docs/onnx.md lists the ops that can be"});
  }

  const FileRecord& file_;
  const OnnxOptions& options_;
  Workspace workspace_;
  const SizeNames names_;
  Importer importer_;
  Scope scope_;
  std::vector<std::string> inputs_;
  std::set<std::string> outputs_;
};

}  // namespace
}  // namespace onnx

OnnxModel read_onnx(const std::string& path, const OnnxOptions& options) {
  const onnx::FileRecord file = onnx::read_file(path);
  return onnx::FileImport(file, options).run();
}

}  // namespace mithril
