// The graphs, nodes, attributes and tensors of an ONNX file as records.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mithril/onnx/proto.hpp"

namespace mithril {
class MappedFile;
}

namespace mithril::onnx {

// A tensor whose elements are still in the file: `message` is its whole message.
struct TensorRecord {
  std::string name;
  ElementType type = ElementType::undefined;
  std::vector<std::int64_t> dims;
  std::string_view message;
};

struct GraphRecord;

struct AttributeRecord {
  std::string name, reference;  // reference: the attribute of a function that it stands for
  std::int64_t type = attribute_type::none;
  std::optional<std::int64_t> i;
  std::optional<float> f;
  std::optional<std::string> s;
  std::optional<TensorRecord> t;
  std::shared_ptr<const GraphRecord> g;  // shared, because records are copied
  std::vector<std::int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  const char* place = nullptr;   // in the bytes of the file
  mutable bool is_read = false;  // by a rule
};

struct NodeRecord {
  std::string name, op, domain, overload;
  std::vector<std::string> inputs, outputs;  // "" is one that is left out
  std::vector<AttributeRecord> attributes;
};

// A size that the file states: a number, a name, or nothing.
using StatedDim = std::variant<std::monostate, std::int64_t, std::string>;

struct ValueRecord {
  std::string name;
  ElementType type = ElementType::undefined;
  std::string other_kind;  // "map": neither a tensor nor a sequence of tensors
  // A sequence of tensors of this type, an optional tensor, or an optional sequence.
  bool is_sequence = false, is_optional = false;
  std::optional<std::vector<StatedDim>> dims;
};

struct GraphRecord {
  std::vector<NodeRecord> nodes;
  std::vector<TensorRecord> initializers;
  std::vector<ValueRecord> inputs, outputs;
  bool has_sparse = false;  // sparse initializers
};

struct FunctionRecord {
  std::vector<std::string> inputs, outputs;
  std::vector<AttributeRecord> defaults;  // attributes that calls may leave out
  std::vector<NodeRecord> nodes;
  std::map<std::string, std::int64_t> opsets;  // of its nodes, by domain
};

struct FileRecord {
  std::string path;
  std::shared_ptr<MappedFile> mapping;  // shared with tensors, which keep it alive
  std::string_view bytes;
  std::map<std::string, std::int64_t> opsets;  // by domain; "" is the one of ONNX
  std::map<std::array<std::string, 3>, FunctionRecord> functions;  // by domain, name, overload
  std::map<std::string, std::string> metadata;
  GraphRecord graph;

  // The function that the node calls; null if it is an op.
  const FunctionRecord* function_of(const NodeRecord& node) const;
};

// Reads the file, except the elements of its tensors. InputError E0830 if the file cannot be read,
// ParseError E1301 for a damaged message, E1302 for graphs that are nested too deep, E1309 for a
// file without a graph or without an opset; ValueError E1310 for a newer version of the format.
FileRecord read_file(const std::string& path);

}  // namespace mithril::onnx
