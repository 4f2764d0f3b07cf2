// `mithril inspect`: what a file contains.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "mithril/base/text.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/cli/text_table.hpp"
#include "mithril/edit/cost.hpp"
#include "mithril/model/part_view.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril::cli {
namespace {

Json json_of(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json::Array json_of(const std::vector<std::uint64_t>& dims) {
  Json::Array array;
  for (const std::uint64_t dim : dims) array.push_back(static_cast<std::int64_t>(dim));
  return array;
}

// The words of an input or an output.
struct PortLine {
  std::string name, dtype;
  std::optional<KnownShape> shape;
};

// What a line of the tree says.
struct PartLine {
  std::string path, name, class_name;
  int depth = 0;
  std::optional<std::int64_t> parameters, operations, bytes;
};

std::int64_t total_elements(const std::map<std::string, Dims>& parameters) {
  std::int64_t count = 0;
  for (const auto& [key, dims] : parameters) count += element_count(dims);
  return count;
}

std::vector<std::string> keys_of(const std::map<std::string, Dims>& parameters) {
  std::vector<std::string> keys;
  for (const auto& [key, dims] : parameters) keys.push_back(key);
  return keys;
}

std::optional<ModelCost> cost_of(const Model& model) try {
  return cost(model);
} catch (const ShapeError& error) {
  if (error.code() != "E0209") throw;
  return std::nullopt;
}

class ModelInspection {
 public:
  ModelInspection(const std::string& path, const Arguments& arguments)
      : path_(path), arguments_(arguments), file_(read_outline(path, arguments)) {
    model_ = file_.model;
    if (arguments.has("--shape")) set_stated_shapes(model_, arguments);
    cost_ = cost_of(model_);
    parameters_ = parameters_by_part(
        model_, file_.parameters ? keys_of(*file_.parameters) : std::vector<std::string>());
    const long depth = arguments.number("--depth", 0).value_or(1000);
    for (const PartView& part : parts(model_)) add(part, 1, depth);
    total_.parameters =
        file_.parameters ? std::optional(total_elements(*file_.parameters)) : total_parameters();
    if (cost_) {
      total_.operations = cost_->total.operations;
      total_.bytes = cost_->total.bytes;
    }
    if (arguments.has("--ops")) {
      for (const PartView& part : walk(model_)) {
        if (part.parts().empty()) ++ops_[part.class_name()];
      }
    }
    read_ports();
  }

  void print(Output& output) const { output.is_json() ? print_json(output) : print_text(output); }

 private:
  void add(const PartView& part, int depth, long most) {
    if (depth > most) return;
    PartLine line{part.path(), part.name(), part.class_name(), depth, {}, {}, {}};
    const auto count = parameters_.counts.find(line.path);
    line.parameters =
        count == parameters_.counts.end() ? std::optional<std::int64_t>(0) : count->second;
    if (cost_) {
      const auto found = cost_->parts.find(line.path);
      const Cost own = found == cost_->parts.end() ? Cost{} : found->second;
      line.operations = own.operations;
      line.bytes = own.bytes;
    }
    lines_.push_back(std::move(line));
    if (!part.is_composed()) return;  // what a layer is made of
    for (const PartView& inner : part.parts()) add(inner, depth + 1, most);
  }

  std::optional<std::int64_t> total_parameters() const try {
    return count_parameters(model_);
  } catch (const ShapeError& error) {
    if (error.code() != "E0209") throw;
    return std::nullopt;  // of an open size
  }

  void read_ports() {
    if (file_.package) {
      const auto port = [](const PackagePort& p) {
        return PortLine{p.name, std::string(name(p.dtype)), p.shape};
      };
      for (const PackagePort& p : file_.package->info().inputs) inputs_.push_back(port(p));
      for (const PackagePort& p : file_.package->info().outputs) outputs_.push_back(port(p));
      return;
    }
    const auto shapes = model_.get_shapes();
    const auto port = [&](const std::string& key) {
      const auto found = shapes.find(key);
      return PortLine{key, "", found == shapes.end() ? std::nullopt : std::optional(found->second)};
    };
    for (const std::string& key : model_.input_keys()) {
      const auto& keys = parameters_.keys;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) inputs_.push_back(port(key));
    }
    for (const std::string& key : model_.output_keys()) outputs_.push_back(port(key));
  }

  static Json json_of_port(const PortLine& port) {
    Json::Object object = {{"name", port.name}};
    if (!port.dtype.empty()) object.emplace_back("dtype", port.dtype);
    object.emplace_back("shape", port.shape ? Json(to_string(*port.shape)) : Json(nullptr));
    return object;
  }

  void print_json(Output& output) const {
    Json::Array inputs, outputs, parts;
    for (const PortLine& port : inputs_) inputs.push_back(json_of_port(port));
    for (const PortLine& port : outputs_) outputs.push_back(json_of_port(port));
    for (const PartLine& line : lines_) {
      parts.push_back(Json::Object{{"path", line.path},
                                   {"class", line.class_name},
                                   {"parameters", json_of(line.parameters)},
                                   {"operations", json_of(line.operations)},
                                   {"bytes", json_of(line.bytes)}});
    }
    Json::Object fields = {{"file", path_},
                           {"kind", std::string(text_of(file_.kind))},
                           {"inputs", std::move(inputs)},
                           {"outputs", std::move(outputs)},
                           {"parameters", json_of(total_.parameters)},
                           {"operations", json_of(total_.operations)},
                           {"bytes", json_of(total_.bytes)},
                           {"parts", std::move(parts)}};
    if (arguments_.has("--ops")) {
      Json::Object ops;
      for (const auto& [name, count] : ops_) ops.emplace_back(name, count);
      fields.emplace_back("ops", std::move(ops));
    }
    output.object("inspect", std::move(fields));
  }

  void print_text(Output& output) const {
    output.text(fmt::format("{}: {}", path_, text_of(file_.kind)));
    if (file_.package) {
      const PackageInfo& info = file_.package->info();
      output.text(fmt::format(", '{}' revision {}, for {}", info.name, info.revision,
                              join(info.backends, ", ")));
    }
    output.text("\n\n");
    print_ports(output);
    output.text("\n");
    const auto number = [](const std::optional<std::int64_t>& n) {
      return n ? grouped(*n) : std::string("?");
    };
    std::vector<TableRow> rows = {{"part", "class", "parameters", "operations", "bytes"}};
    for (const PartLine& line : lines_) {
      const std::string indent(2 * static_cast<std::size_t>(line.depth - 1), ' ');
      rows.push_back({indent + line.name, line.class_name, number(line.parameters),
                      number(line.operations), number(line.bytes)});
    }
    rows.push_back(
        {"total", "", number(total_.parameters), number(total_.operations), number(total_.bytes)});
    output.text(table_text(rows));
    if (!cost_) {
      output.text("\n?: sizes are open. State them to count: --shape KEY=SIZES\n");
    }
    if (arguments_.has("--ops")) {
      std::vector<TableRow> counts = {{"op", "count"}};
      for (const auto& [name, count] : ops_) counts.push_back({name, grouped(count)});
      output.text("\n" + table_text(counts));
    }
  }

  // One table of all ports. The column of dtypes is left out if no port has one.
  void print_ports(Output& output) const {
    const auto has_dtype = [](const PortLine& port) { return !port.dtype.empty(); };
    const bool dtypes = std::any_of(inputs_.begin(), inputs_.end(), has_dtype) ||
                        std::any_of(outputs_.begin(), outputs_.end(), has_dtype);
    std::vector<TableRow> rows = {{"port", "key"}};
    if (dtypes) rows.front().push_back("dtype");
    rows.front().push_back("shape");
    const auto add = [&](const std::string& what, const std::vector<PortLine>& ports) {
      for (const PortLine& port : ports) {
        rows.push_back({what, port.name});
        if (dtypes) rows.back().push_back(port.dtype);
        rows.back().push_back(port.shape ? to_string(*port.shape) : "?");
      }
    };
    add("input", inputs_);
    add("output", outputs_);
    output.text(table_text(rows));
  }

  std::string path_;
  const Arguments& arguments_;
  ModelOutline file_;
  Model model_;
  std::optional<ModelCost> cost_;
  PartParameters parameters_;
  std::vector<PortLine> inputs_, outputs_;
  std::vector<PartLine> lines_;
  PartLine total_;
  std::map<std::string, std::int64_t> ops_;
};

struct TensorLine {
  std::string name, dtype;
  std::vector<std::uint64_t> dims;
  std::int64_t bytes = 0;
};

// Of one safetensors file only the header is read.
std::vector<TensorLine> tensor_lines(FileKind kind, const std::string& path) {
  std::vector<TensorLine> lines;
  if (kind == FileKind::safetensors && path.ends_with(".safetensors")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    for (const StoredTensor& stored : file.stored()) {
      lines.push_back({stored.name, std::string(name(stored.type)), stored.dims,
                       static_cast<std::int64_t>(stored.end - stored.begin)});
    }
    return lines;
  }
  for (const auto& [key, tensor] : read_tensors(kind, path)) {
    lines.push_back({key,
                     std::string(name(tensor.dtype())),
                     {tensor.dims().begin(), tensor.dims().end()},
                     static_cast<std::int64_t>(tensor.bytes())});
  }
  return lines;
}

void inspect_tensors(FileKind kind, const std::string& path, Output& output) {
  const std::vector<TensorLine> lines = tensor_lines(kind, path);
  std::int64_t elements = 0, bytes = 0;
  std::vector<TableRow> rows = {{"tensor", "dtype", "shape", "bytes"}};
  Json::Array tensors;
  for (const TensorLine& line : lines) {
    std::int64_t count = 1;
    for (const std::uint64_t dim : line.dims) count *= static_cast<std::int64_t>(dim);
    elements += count;
    bytes += line.bytes;
    rows.push_back({line.name, line.dtype, "[" + join(line.dims, ", ") + "]", grouped(line.bytes)});
    tensors.push_back(Json::Object{{"name", line.name},
                                   {"dtype", line.dtype},
                                   {"shape", json_of(line.dims)},
                                   {"bytes", line.bytes}});
  }
  if (output.is_json()) {
    output.object("inspect", {{"file", path},
                              {"kind", std::string(text_of(kind))},
                              {"elements", elements},
                              {"bytes", bytes},
                              {"tensors", std::move(tensors)}});
    return;
  }
  rows.push_back({"total", "", counted(elements, "element"), grouped(bytes)});
  output.text(fmt::format("{}: {}, {}\n\n{}", path, text_of(kind),
                          counted(static_cast<std::int64_t>(lines.size()), "tensor"),
                          table_text(rows)));
}

// What the file has that cannot be imported. Exit status 1 if there is something.
int inspect_unsupported(const std::string& path, const Arguments& arguments, Output& output) {
  std::vector<Fact> nodes;
  try {
    read_outline(path, arguments);
  } catch (const Error& error) {
    if (error.code() != "E1311") throw;
    nodes = error.details().facts;
  }
  Json::Array items;
  std::vector<TableRow> rows = {{"node", "why"}};
  for (const Fact& fact : nodes) {
    rows.push_back({fact.label, fact.text});
    items.push_back(Json::Object{{"node", fact.label}, {"why", fact.text}});
  }
  if (output.is_json()) {
    output.object("inspect", {{"file", path}, {"unsupported", std::move(items)}});
  } else {
    output.text(nodes.empty() ? "all nodes can be imported\n" : table_text(rows));
  }
  return nodes.empty() ? done : check_failed;
}

}  // namespace

int inspect(const Arguments& arguments, Output& output) {
  const std::string& path = arguments.value("FILE");
  const FileKind kind = kind_of_file(path);
  if (arguments.has("--unsupported")) return inspect_unsupported(path, arguments, output);
  if (has_model(kind)) {
    ModelInspection(path, arguments).print(output);
  } else {
    inspect_tensors(kind, path, output);
  }
  return done;
}

}  // namespace mithril::cli
