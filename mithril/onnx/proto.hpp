// The numbers of the fields and of the element types in ONNX files, as in onnx.proto (IR 14).
#pragma once
#include <cstdint>
#include <string_view>

namespace mithril::onnx {

namespace model_field {
constexpr std::uint32_t ir_version = 1, producer_name = 2, producer_version = 3, graph = 7,
                        opset_import = 8, metadata_props = 14, functions = 25;
}
namespace opset_field {
constexpr std::uint32_t domain = 1, version = 2;
}
namespace function_field {
constexpr std::uint32_t name = 1, input = 4, output = 5, node = 7, opset_import = 9, domain = 10,
                        attribute_proto = 11, overload = 13;
}
namespace graph_field {
constexpr std::uint32_t node = 1, name = 2, initializer = 5, input = 11, output = 12,
                        value_info = 13, sparse_initializer = 15;
}
namespace node_field {
constexpr std::uint32_t input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7,
                        overload = 8, metadata_props = 9;
}
namespace attribute_field {
constexpr std::uint32_t name = 1, f = 2, i = 3, s = 4, t = 5, g = 6, floats = 7, ints = 8,
                        strings = 9, type = 20, ref_attr_name = 21;
}
namespace tensor_field {
constexpr std::uint32_t dims = 1, data_type = 2, segment = 3, float_data = 4, int32_data = 5,
                        int64_data = 7, name = 8, raw_data = 9, double_data = 10, uint64_data = 11,
                        doc_string = 12, external_data = 13, data_location = 14;
}
namespace entry_field {
constexpr std::uint32_t key = 1, value = 2;
}
namespace value_info_field {
constexpr std::uint32_t name = 1, type = 2;
}
namespace type_field {
constexpr std::uint32_t tensor_type = 1, sequence_type = 4, map_type = 5, opaque_type = 7,
                        sparse_tensor_type = 8, optional_type = 9;
}
namespace element_type_field {  // of sequences and optionals
constexpr std::uint32_t elem_type = 1;
}
namespace tensor_type_field {
constexpr std::uint32_t elem_type = 1, shape = 2;
}
namespace shape_field {
constexpr std::uint32_t dim = 1;
}
namespace dim_field {
constexpr std::uint32_t dim_value = 1, dim_param = 2;
}

// TensorProto.DataType.
enum class ElementType : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8_e4m3fn = 17,
  float8_e4m3fnuz = 18,
  float8_e5m2 = 19,
  float8_e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4_e2m1 = 23,
  float8_e8m0 = 24,
  uint2 = 25,
  int2 = 26,
  float6_e2m3 = 27,
  float6_e3m2 = 28
};

// AttributeProto.AttributeType.
namespace attribute_type {
constexpr std::int64_t none = 0, real = 1, integer = 2, text = 3, tensor = 4, graph = 5, reals = 6,
                       integers = 7;
}

// The newest opset of the domain of ONNX itself that the table of ops implements.
constexpr std::int64_t newest_opset = 28;
// The deepest nesting of graphs.
constexpr int most_nested = 100;

}  // namespace mithril::onnx
