#include "mithril/onnx/file.hpp"

#include "mithril/base/error.hpp"
#include "mithril/onnx/fields.hpp"
#include "mithril/serialization/mapped_file.hpp"

namespace mithril::onnx {
namespace {

class FileReader {
 public:
  explicit FileReader(const Source& source) : source_(source) {}

  GraphRecord graph(std::string_view bytes, int depth);
  void add_function(std::string_view bytes, FileRecord& file);
  TensorRecord tensor(std::string_view bytes);
  std::pair<std::string, std::int64_t> opset(std::string_view bytes);
  std::pair<std::string, std::string> entry(std::string_view bytes);

 private:
  NodeRecord node(std::string_view bytes, int depth);
  AttributeRecord attribute(std::string_view bytes, int depth);
  ValueRecord value(std::string_view bytes);
  void type(std::string_view bytes, ValueRecord& value);
  void tensor_type(std::string_view bytes, ValueRecord& value);
  void element_type(std::string_view bytes, ValueRecord& value);
  std::vector<StatedDim> shape(std::string_view bytes);
  StatedDim dim(std::string_view bytes);

  const Source& source_;
};

GraphRecord FileReader::graph(std::string_view bytes, int depth) {
  if (depth > most_nested) {
    raise({.kind = ErrorKind::parse,
           .code = "E1302",
           .path = source_.path,
           .message = "the file has graphs inside of graphs, " + std::to_string(depth) + " deep",
           .facts = {{"expected", "at most " + std::to_string(most_nested)}},
           .help = "compute what the inner graphs choose before them, with fewer levels"});
  }
  GraphRecord made;
  for (Fields fields(bytes, source_, "GraphProto"); fields.next();) {
    switch (fields.tag()) {
      case graph_field::node:
        made.nodes.push_back(node(fields.bytes(), depth));
        break;
      case graph_field::initializer:
        made.initializers.push_back(tensor(fields.bytes()));
        break;
      case graph_field::input:
        made.inputs.push_back(value(fields.bytes()));
        break;
      case graph_field::output:
        made.outputs.push_back(value(fields.bytes()));
        break;
      case graph_field::sparse_initializer:
        made.has_sparse = true;
        break;
    }
  }
  return made;
}

NodeRecord FileReader::node(std::string_view bytes, int depth) {
  NodeRecord made;
  for (Fields fields(bytes, source_, "NodeProto"); fields.next();) {
    switch (fields.tag()) {
      case node_field::input:
        made.inputs.push_back(fields.text());
        break;
      case node_field::output:
        made.outputs.push_back(fields.text());
        break;
      case node_field::name:
        made.name = fields.text();
        break;
      case node_field::op_type:
        made.op = fields.text();
        break;
      case node_field::domain:
        made.domain = fields.text();
        break;
      case node_field::overload:
        made.overload = fields.text();
        break;
      case node_field::attribute:
        made.attributes.push_back(attribute(fields.bytes(), depth));
        break;
    }
  }
  if (made.domain == "ai.onnx") made.domain.clear();
  return made;
}

AttributeRecord FileReader::attribute(std::string_view bytes, int depth) {
  AttributeRecord made;
  made.place = bytes.data();
  for (Fields fields(bytes, source_, "AttributeProto"); fields.next();) {
    switch (fields.tag()) {
      case attribute_field::name:
        made.name = fields.text();
        break;
      case attribute_field::ref_attr_name:
        made.reference = fields.text();
        break;
      case attribute_field::type:
        made.type = fields.integer();
        break;
      case attribute_field::f:
        made.f = fields.real();
        break;
      case attribute_field::i:
        made.i = fields.integer();
        break;
      case attribute_field::s:
        made.s = fields.bytes();
        break;
      case attribute_field::t:
        made.t = tensor(fields.bytes());
        break;
      case attribute_field::g:
        made.g = std::make_shared<const GraphRecord>(graph(fields.bytes(), depth + 1));
        break;
      case attribute_field::floats:
        fields.add_reals(made.floats);
        break;
      case attribute_field::ints:
        fields.add_integers(made.ints);
        break;
      case attribute_field::strings:
        made.strings.emplace_back(fields.bytes());
        break;
    }
  }
  return made;
}

void FileReader::add_function(std::string_view bytes, FileRecord& file) {
  FunctionRecord made;
  std::string domain, name, overload;
  for (Fields fields(bytes, source_, "FunctionProto"); fields.next();) {
    switch (fields.tag()) {
      case function_field::name:
        name = fields.text();
        break;
      case function_field::input:
        made.inputs.push_back(fields.text());
        break;
      case function_field::output:
        made.outputs.push_back(fields.text());
        break;
      case function_field::node:
        made.nodes.push_back(node(fields.bytes(), 0));
        break;
      case function_field::opset_import:
        made.opsets.insert(opset(fields.bytes()));
        break;
      case function_field::domain:
        domain = fields.text();
        break;
      case function_field::attribute_proto:
        made.defaults.push_back(attribute(fields.bytes(), 0));
        break;
      case function_field::overload:
        overload = fields.text();
        break;
    }
  }
  if (domain == "ai.onnx") domain.clear();
  file.functions.insert({{domain, name, overload}, std::move(made)});
}

TensorRecord FileReader::tensor(std::string_view bytes) {
  TensorRecord made{.message = bytes};
  for (Fields fields(bytes, source_, "TensorProto"); fields.next();) {
    switch (fields.tag()) {
      case tensor_field::dims:
        fields.add_integers(made.dims);
        break;
      case tensor_field::data_type:
        made.type = static_cast<ElementType>(fields.integer());
        break;
      case tensor_field::name:
        made.name = fields.text();
        break;
    }
  }
  return made;
}

ValueRecord FileReader::value(std::string_view bytes) {
  ValueRecord made;
  for (Fields fields(bytes, source_, "ValueInfoProto"); fields.next();) {
    if (fields.tag() == value_info_field::name) made.name = fields.text();
    if (fields.tag() == value_info_field::type) type(fields.bytes(), made);
  }
  return made;
}

void FileReader::type(std::string_view bytes, ValueRecord& value) {
  for (Fields fields(bytes, source_, "TypeProto"); fields.next();) {
    switch (fields.tag()) {
      case type_field::tensor_type:
        tensor_type(fields.bytes(), value);
        break;
      case type_field::sequence_type:
        if (value.is_sequence) {
          value.other_kind = "sequence of sequences";
          break;
        }
        value.is_sequence = true;
        element_type(fields.bytes(), value);
        break;
      case type_field::map_type:
        value.other_kind = "map";
        break;
      case type_field::opaque_type:
        value.other_kind = "opaque";
        break;
      case type_field::sparse_tensor_type:
        value.other_kind = "sparse tensor";
        break;
      case type_field::optional_type:
        if (value.is_sequence || value.is_optional) {
          value.other_kind = value.is_sequence ? "sequence of optionals" : "optional of optionals";
          break;
        }
        value.is_optional = true;
        element_type(fields.bytes(), value);
        break;
    }
  }
}

// Of a sequence, which has no element that is a sequence, or of an optional.
void FileReader::element_type(std::string_view bytes, ValueRecord& value) {
  for (Fields fields(bytes, source_, "TypeProto.Sequence"); fields.next();)
    if (fields.tag() == element_type_field::elem_type) type(fields.bytes(), value);
}

void FileReader::tensor_type(std::string_view bytes, ValueRecord& value) {
  for (Fields fields(bytes, source_, "TypeProto.Tensor"); fields.next();) {
    if (fields.tag() == tensor_type_field::elem_type)
      value.type = static_cast<ElementType>(fields.integer());
    if (fields.tag() == tensor_type_field::shape) value.dims = shape(fields.bytes());
  }
}

std::vector<StatedDim> FileReader::shape(std::string_view bytes) {
  std::vector<StatedDim> dims;
  for (Fields fields(bytes, source_, "TensorShapeProto"); fields.next();) {
    if (fields.tag() == shape_field::dim) dims.push_back(dim(fields.bytes()));
  }
  return dims;
}

// Some exporters write -1, and names that are empty, for a size that is not known.
StatedDim FileReader::dim(std::string_view bytes) {
  StatedDim made;
  for (Fields fields(bytes, source_, "TensorShapeProto.Dimension"); fields.next();) {
    if (fields.tag() == dim_field::dim_value) {
      const std::int64_t size = fields.integer();
      if (size >= 0) made = size;
    }
    if (fields.tag() == dim_field::dim_param) {
      std::string name = fields.text();
      if (!name.empty()) made = std::move(name);
    }
  }
  return made;
}

std::pair<std::string, std::int64_t> FileReader::opset(std::string_view bytes) {
  std::pair<std::string, std::int64_t> made;
  for (Fields fields(bytes, source_, "OperatorSetIdProto"); fields.next();) {
    if (fields.tag() == opset_field::domain) made.first = fields.text();
    if (fields.tag() == opset_field::version) made.second = fields.integer();
  }
  if (made.first == "ai.onnx") made.first.clear();
  return made;
}

std::pair<std::string, std::string> FileReader::entry(std::string_view bytes) {
  std::pair<std::string, std::string> made;
  for (Fields fields(bytes, source_, "StringStringEntryProto"); fields.next();) {
    if (fields.tag() == entry_field::key) made.first = fields.bytes();
    if (fields.tag() == entry_field::value) made.second = fields.bytes();
  }
  return made;
}

}  // namespace

const FunctionRecord* FileRecord::function_of(const NodeRecord& node) const {
  const auto found = functions.find({node.domain, node.op, node.overload});
  return found == functions.end() ? nullptr : &found->second;
}

namespace {

// Later versions of the format may store tensors in another way.
void check_format(const std::string& path, std::int64_t version) {
  constexpr std::int64_t newest = 14;
  if (version <= newest) return;
  raise({.kind = ErrorKind::value,
         .code = "E1310",
         .path = path,
         .message = "the file has version " + std::to_string(version) + " of the ONNX format",
         .facts = {{"expected", "at most " + std::to_string(newest)}},
         .help = "export the model with an older release of onnx, or lower its ir_version"});
}

}  // namespace

FileRecord read_file(const std::string& path) {
  FileRecord made{.path = path, .mapping = MappedFile::open(path)};
  const auto bytes = made.mapping->bytes();
  made.bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const Source source{path, made.bytes};
  FileReader reader(source);
  std::optional<std::string_view> graph;
  for (Fields fields(made.bytes, source, "ModelProto"); fields.next();) {
    switch (fields.tag()) {
      case model_field::ir_version:
        check_format(path, fields.integer());
        break;
      case model_field::opset_import:
        made.opsets.insert(reader.opset(fields.bytes()));
        break;
      case model_field::metadata_props:
        made.metadata.insert(reader.entry(fields.bytes()));
        break;
      case model_field::functions:
        reader.add_function(fields.bytes(), made);
        break;
      case model_field::graph: {
        const std::string_view found = fields.bytes();
        if (graph) damaged(source, "ModelProto", found.data(), "there are two graphs");
        graph = found;
        break;
      }
    }
  }
  if (!graph || made.opsets.empty()) {
    raise({.kind = ErrorKind::parse,
           .code = "E1309",
           .path = path,
           .message = std::string("the file has no ") + (graph ? "opset" : "graph"),
           .facts = {{"expected", "a ModelProto of ONNX"}},
           .help = "check that this is an ONNX file, and not the parameters of another format"});
  }
  made.graph = reader.graph(*graph, 0);
  return made;
}

}  // namespace mithril::onnx
