#include "mithril/onnx/export/message_writer.hpp"

#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <cstring>

#include "mithril/base/version.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/export/functions.hpp"
#include "mithril/serialization/stored_elements.hpp"
#include "mithril/tensor/low_bit.hpp"

namespace mithril::onnx {
namespace {

using protozero::pbf_writer;

// In bytes. Offsets of external data are multiples of the alignment, so that they can be mapped.
constexpr std::size_t smallest_external = 1024, alignment = 4096;
// The same for the elements of large tensors in the file itself, in bytes. Those of others are
// aligned to their dtype.
constexpr std::size_t large_alignment = 64;

void add_entry(pbf_writer& to, std::uint32_t field, const std::string& key,
               const std::string& value) {
  pbf_writer entry(to, field);
  entry.add_string(entry_field::key, key);
  entry.add_string(entry_field::value, value);
}

void add_tensor_head(pbf_writer& to, const std::string& name, const Tensor& tensor) {
  for (const std::int64_t size : tensor.dims()) to.add_int64(tensor_field::dims, size);
  to.add_int32(tensor_field::data_type, static_cast<std::int32_t>(element_type_of(tensor.dtype())));
  if (!name.empty()) to.add_string(tensor_field::name, name);
}

std::string_view elements_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.bytes()};
}

bool is_packed(DType dtype) { return is_low_bit(dtype) && bits_of(dtype) < 8; }

// The tensor, or the bytes of its elements if several of them share one.
Tensor stored_tensor(const Tensor& tensor) {
  if (!is_packed(tensor.dtype())) return tensor;
  const std::vector<std::byte> bytes = packed(tensor);
  Tensor made = Tensor::empty(DType::uint8, {static_cast<std::int64_t>(bytes.size())});
  if (!bytes.empty()) std::memcpy(made.mutable_raw_data(), bytes.data(), bytes.size());
  return made;
}

void add_elements(pbf_writer& to, const Tensor& tensor) {
  const Tensor stored = stored_tensor(tensor);
  to.add_bytes(tensor_field::raw_data, elements_of(stored).data(), stored.bytes());
}

void add_type(pbf_writer& value, const WrittenValue& of) {
  pbf_writer type(value, value_info_field::type);
  pbf_writer tensor(type, type_field::tensor_type);
  tensor.add_int32(tensor_type_field::elem_type,
                   static_cast<std::int32_t>(element_type_of(of.dtype)));
  if (!of.is_ranked) return;
  // A writer of a nested message leaves out an empty one, such as the shape of a scalar.
  std::string dims;
  pbf_writer shape(dims);
  for (const StatedDim& stated : of.dims) {
    std::string message;  // empty for a size that is not known
    pbf_writer dim(message);
    if (const auto* size = std::get_if<std::int64_t>(&stated))
      dim.add_int64(dim_field::dim_value, *size);
    if (const auto* name = std::get_if<std::string>(&stated))
      dim.add_string(dim_field::dim_param, *name);
    shape.add_message(shape_field::dim, message);
  }
  tensor.add_message(tensor_type_field::shape, dims);
}

void add_value(pbf_writer& graph, std::uint32_t field, const WrittenValue& value) {
  pbf_writer message(graph, field);
  message.add_string(value_info_field::name, value.name);
  add_type(message, value);
}

std::string graph_without_tensors(const WrittenGraph& graph);

struct AttributeWriter {
  pbf_writer& to;

  void type(std::int64_t number) {
    to.add_int32(attribute_field::type, static_cast<std::int32_t>(number));
  }
  void operator()(std::int64_t number) {
    to.add_int64(attribute_field::i, number);
    type(attribute_type::integer);
  }
  void operator()(double number) {
    to.add_float(attribute_field::f, static_cast<float>(number));
    type(attribute_type::real);
  }
  void operator()(const std::string& text) {
    to.add_string(attribute_field::s, text);
    type(attribute_type::text);
  }
  void operator()(const std::vector<std::int64_t>& numbers) {
    for (const std::int64_t number : numbers) to.add_int64(attribute_field::ints, number);
    type(attribute_type::integers);
  }
  void operator()(const Tensor& tensor) {
    {
      pbf_writer message(to, attribute_field::t);
      add_tensor_head(message, "", tensor);
      add_elements(message, tensor);
    }
    type(attribute_type::tensor);
  }
  void operator()(const std::shared_ptr<const WrittenGraph>& graph) {
    std::string message = graph_without_tensors(*graph);
    pbf_writer writer(message);
    for (const WrittenTensor& tensor : graph->initializers) {
      pbf_writer initializer(writer, graph_field::initializer);
      add_tensor_head(initializer, tensor.name, tensor.tensor);
      add_elements(initializer, tensor.tensor);
    }
    to.add_message(attribute_field::g, message);
    type(attribute_type::graph);
  }
};

void add_node(pbf_writer& graph, std::uint32_t field, const WrittenNode& node) {
  pbf_writer message(graph, field);
  for (const std::string& input : node.inputs) message.add_string(node_field::input, input);
  for (const std::string& output : node.outputs) message.add_string(node_field::output, output);
  message.add_string(node_field::name, node.name);
  message.add_string(node_field::op_type, node.op);
  if (!node.domain.empty()) message.add_string(node_field::domain, node.domain);
  for (const auto& [name, value] : node.attributes) {
    pbf_writer attribute(message, node_field::attribute);
    attribute.add_string(attribute_field::name, name);
    std::visit(AttributeWriter{attribute}, value);
  }
  add_entry(message, node_field::metadata_props, "mithril.path", node.path);
  add_entry(message, node_field::metadata_props, "mithril.op", node.source);
}

std::string graph_without_tensors(const WrittenGraph& graph) {
  std::string message;
  pbf_writer writer(message);
  for (const WrittenNode& node : graph.nodes) add_node(writer, graph_field::node, node);
  writer.add_string(graph_field::name, graph.name);
  for (const WrittenValue& input : graph.inputs) add_value(writer, graph_field::input, input);
  for (const WrittenValue& output : graph.outputs) add_value(writer, graph_field::output, output);
  for (const WrittenValue& value : graph.values) add_value(writer, graph_field::value_info, value);
  return message;
}

// The key and the length of a field whose bytes follow.
std::string field_head(std::uint32_t field, std::size_t size) {
  std::string head;
  const auto put = std::back_inserter(head);
  protozero::write_varint(put, (field << 3U) | 2U);
  protozero::write_varint(put, size);
  return head;
}

// The same with a length of 5 bytes, whatever it is.
std::string wide_field_head(std::uint32_t field, std::size_t size) {
  std::string head;
  protozero::write_varint(std::back_inserter(head), (field << 3U) | 2U);
  for (int i = 0; i < 4; ++i, size >>= 7U) head.push_back(static_cast<char>((size & 127U) | 128U));
  head.push_back(static_cast<char>(size));
  return head;
}

// The first version of the format that has the types of the opset.
std::int64_t ir_version_of(std::int64_t opset) { return std::max<std::int64_t>(10, opset - 12); }

class FileWriter {
 public:
  FileWriter(const WrittenGraph& graph, const FileText& text) : graph_(graph), text_(text) {}

  FilePieces write() {
    std::string head;
    pbf_writer model(head);
    model.add_int64(model_field::ir_version, ir_version_of(text_.opset));
    model.add_string(model_field::producer_name, "mithril");
    model.add_string(model_field::producer_version, std::string(version()));
    add_opset(model, model_field::opset_import, "", text_.opset);
    if (!graph_.functions.empty()) add_opset(model, model_field::opset_import, part_domain, 1);
    for (const WrittenFunction& function : graph_.functions) add_function(model, function);
    const std::size_t begin = head.size() + wide_field_head(model_field::graph, 0).size();
    size_ = begin;
    add_piece(graph_without_tensors(graph_));
    for (const WrittenTensor& tensor : graph_.initializers) add_initializer(tensor);
    pieces_.owned.push_back(head + wide_field_head(model_field::graph, size_ - begin));
    pieces_.model.insert(pieces_.model.begin(), pieces_.owned.back());
    return std::move(pieces_);
  }

 private:
  static void add_opset(pbf_writer& to, std::uint32_t field, const char* domain,
                        std::int64_t version) {
    pbf_writer opset(to, field);
    opset.add_string(opset_field::domain, domain);
    opset.add_int64(opset_field::version, version);
  }

  void add_function(pbf_writer& model, const WrittenFunction& function) const {
    pbf_writer message(model, model_field::functions);
    message.add_string(function_field::name, function.name);
    for (const std::string& input : function.inputs)
      message.add_string(function_field::input, input);
    for (const std::string& output : function.outputs)
      message.add_string(function_field::output, output);
    for (const WrittenNode& node : function.nodes) add_node(message, function_field::node, node);
    add_opset(message, function_field::opset_import, "", text_.opset);
    message.add_string(function_field::domain, part_domain);
  }

  void add_piece(std::string bytes) {
    size_ += bytes.size();
    pieces_.owned.push_back(std::move(bytes));
    pieces_.model.push_back(pieces_.owned.back());
  }

  // A field in front of elements that makes their place in the file a multiple of their alignment.
  // `inside`: the bytes of the tensor's other fields.
  std::string padding(std::size_t inside, const Tensor& tensor) const {
    const bool is_large = tensor.bytes() >= smallest_external;
    const std::size_t unit = is_large ? large_alignment : size_of(tensor.dtype());
    const auto is_aligned = [&](std::size_t size) {
      const std::size_t fields = inside + size;
      return (size_ + field_head(graph_field::initializer, fields + tensor.bytes()).size() +
              fields) %
                 unit ==
             0;
    };
    if (is_aligned(0)) return "";
    std::size_t blanks = 0;
    while (!is_aligned(field_head(tensor_field::doc_string, blanks).size() + blanks)) ++blanks;
    return field_head(tensor_field::doc_string, blanks) + std::string(blanks, ' ');
  }

  void add_initializer(const WrittenTensor& written) {
    std::string message;
    pbf_writer writer(message);
    add_tensor_head(writer, written.name, written.tensor);
    const bool needs_packing = is_packed(written.tensor.dtype());
    if (needs_packing) pieces_.packed.push_back(stored_tensor(written.tensor));
    const Tensor& tensor = needs_packing ? pieces_.packed.back() : written.tensor;
    if (!text_.data_file.empty() && tensor.bytes() >= smallest_external) {
      add_external(writer, tensor);
      add_piece(field_head(graph_field::initializer, message.size()) + message);
      return;
    }
    const std::string elements = field_head(tensor_field::raw_data, tensor.bytes());
    message += padding(message.size() + elements.size(), tensor) + elements;
    add_piece(field_head(graph_field::initializer, message.size() + tensor.bytes()) + message);
    pieces_.model.push_back(elements_of(tensor));
    size_ += tensor.bytes();
  }

  void add_external(pbf_writer& writer, const Tensor& tensor) {
    static const std::string padding(alignment, '\0');
    const std::size_t gap = (alignment - data_size_ % alignment) % alignment;
    if (gap > 0) pieces_.data.push_back(std::string_view(padding).substr(0, gap));
    data_size_ += gap;
    add_entry(writer, tensor_field::external_data, "location", text_.data_file);
    add_entry(writer, tensor_field::external_data, "offset", std::to_string(data_size_));
    add_entry(writer, tensor_field::external_data, "length", std::to_string(tensor.bytes()));
    writer.add_int32(tensor_field::data_location, 1);
    pieces_.data.push_back(elements_of(tensor));
    data_size_ += tensor.bytes();
  }

  const WrittenGraph& graph_;
  const FileText& text_;
  FilePieces pieces_;
  std::size_t size_ = 0, data_size_ = 0;
};

}  // namespace

FilePieces file_pieces(const WrittenGraph& graph, const FileText& text) {
  return FileWriter(graph, text).write();
}

std::size_t element_bytes(const WrittenGraph& graph) {
  std::size_t bytes = 0;
  for (const WrittenTensor& tensor : graph.initializers) bytes += tensor.tensor.bytes();
  return bytes;
}

}  // namespace mithril::onnx
