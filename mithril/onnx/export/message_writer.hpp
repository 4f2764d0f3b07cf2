// A file of ONNX as pieces: bytes of messages, and elements of tensors that are not copied.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/onnx/export/onnx_graph.hpp"

namespace mithril::onnx {

struct FileText {
  std::int64_t opset = 20;
  // The file with the elements of large tensors, beside the file; empty: they are in it.
  std::string data_file = {};
};

struct FilePieces {
  std::deque<std::string> owned;
  std::deque<Tensor> packed;                  // elements of 4 and 2 bits
  std::vector<std::string_view> model, data;  // data: of the file beside it
};

// The pieces refer to the tensors of the graph.
FilePieces file_pieces(const WrittenGraph& graph, const FileText& text);
// The bytes of the elements of all tensors.
std::size_t element_bytes(const WrittenGraph& graph);

}  // namespace mithril::onnx
