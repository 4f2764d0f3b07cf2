// Writes the bytes of ONNX files.
#pragma once
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/onnx/proto.hpp"

namespace mithril::tests {

// One message: OnnxMessage().text(1, "x").number(2, 3).bytes().
class OnnxMessage {
 public:
  OnnxMessage& text(std::uint32_t tag, std::string_view value) {
    protozero::pbf_writer(bytes_).add_bytes(tag, value.data(), value.size());
    return *this;
  }
  OnnxMessage& number(std::uint32_t tag, std::int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(tag, value);
    return *this;
  }
  OnnxMessage& real(std::uint32_t tag, float value) {
    protozero::pbf_writer(bytes_).add_float(tag, value);
    return *this;
  }
  OnnxMessage& packed(std::uint32_t tag, const std::vector<std::int64_t>& values) {
    protozero::pbf_writer(bytes_).add_packed_int64(tag, values.begin(), values.end());
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline std::string onnx_node(std::string_view op, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs,
                             const std::vector<std::string>& attributes = {}) {
  namespace field = onnx::node_field;
  OnnxMessage node;
  for (const std::string& input : inputs) node.text(field::input, input);
  for (const std::string& output : outputs) node.text(field::output, output);
  node.text(field::op_type, op);
  for (const std::string& attribute : attributes) node.text(field::attribute, attribute);
  return node.bytes();
}

inline std::string onnx_int_attribute(std::string_view name, std::int64_t value) {
  namespace field = onnx::attribute_field;
  return OnnxMessage().text(field::name, name).number(field::i, value).bytes();
}

inline std::string onnx_graph_attribute(std::string_view name, const std::string& graph) {
  namespace field = onnx::attribute_field;
  return OnnxMessage().text(field::name, name).text(field::g, graph).bytes();
}

// An input or an output. A dim of -1 is a size named "N".
inline std::string onnx_value(std::string_view name, const std::vector<std::int64_t>& dims,
                              onnx::ElementType type = onnx::ElementType::float32) {
  OnnxMessage shape;
  for (const std::int64_t dim : dims) {
    OnnxMessage size;
    if (dim < 0) {
      size.text(onnx::dim_field::dim_param, "N");
    } else {
      size.number(onnx::dim_field::dim_value, dim);
    }
    shape.text(onnx::shape_field::dim, size.bytes());
  }
  const std::string tensor =
      OnnxMessage()
          .number(onnx::tensor_type_field::elem_type, static_cast<std::int64_t>(type))
          .text(onnx::tensor_type_field::shape, shape.bytes())
          .bytes();
  return OnnxMessage()
      .text(onnx::value_info_field::name, name)
      .text(onnx::value_info_field::type,
            OnnxMessage().text(onnx::type_field::tensor_type, tensor).bytes())
      .bytes();
}

// An input or an output that is a sequence of float tensors of any rank.
inline std::string onnx_sequence(std::string_view name) {
  const std::string tensor = OnnxMessage()
                                 .number(onnx::tensor_type_field::elem_type,
                                         static_cast<std::int64_t>(onnx::ElementType::float32))
                                 .bytes();
  const std::string element = OnnxMessage().text(onnx::type_field::tensor_type, tensor).bytes();
  const std::string sequence =
      OnnxMessage().text(onnx::element_type_field::elem_type, element).bytes();
  return OnnxMessage()
      .text(onnx::value_info_field::name, name)
      .text(onnx::value_info_field::type,
            OnnxMessage().text(onnx::type_field::sequence_type, sequence).bytes())
      .bytes();
}

// A tensor without elements.
inline OnnxMessage onnx_tensor(std::string_view name, const std::vector<std::int64_t>& dims,
                               onnx::ElementType type = onnx::ElementType::float32) {
  return OnnxMessage()
      .packed(onnx::tensor_field::dims, dims)
      .number(onnx::tensor_field::data_type, static_cast<std::int64_t>(type))
      .text(onnx::tensor_field::name, name);
}

template <class T>
std::string onnx_elements(std::string_view name, const std::vector<std::int64_t>& dims,
                          const std::vector<T>& elements, onnx::ElementType type) {
  const std::string_view raw(reinterpret_cast<const char*>(elements.data()),
                             elements.size() * sizeof(T));
  return onnx_tensor(name, dims, type).text(onnx::tensor_field::raw_data, raw).bytes();
}

inline std::string onnx_floats(std::string_view name, const std::vector<std::int64_t>& dims,
                               const std::vector<float>& elements) {
  return onnx_elements(name, dims, elements, onnx::ElementType::float32);
}

inline std::string onnx_ints(std::string_view name, const std::vector<std::int64_t>& dims,
                             const std::vector<std::int64_t>& elements) {
  return onnx_elements(name, dims, elements, onnx::ElementType::int64);
}

struct OnnxGraph {
  std::vector<std::string> nodes, initializers, inputs, outputs;

  std::string bytes() const {
    OnnxMessage graph;
    for (const std::string& node : nodes) graph.text(onnx::graph_field::node, node);
    for (const std::string& each : initializers) graph.text(onnx::graph_field::initializer, each);
    for (const std::string& input : inputs) graph.text(onnx::graph_field::input, input);
    for (const std::string& output : outputs) graph.text(onnx::graph_field::output, output);
    return graph.bytes();
  }
};

inline std::string onnx_file(const std::string& graph, std::int64_t opset = 17) {
  return OnnxMessage()
      .number(onnx::model_field::ir_version, 8)
      .text(onnx::model_field::opset_import,
            OnnxMessage().number(onnx::opset_field::version, opset).bytes())
      .text(onnx::model_field::graph, graph)
      .bytes();
}

}  // namespace mithril::tests
