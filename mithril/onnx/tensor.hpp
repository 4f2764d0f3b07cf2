// The elements of tensors in ONNX files.
#pragma once
#include "mithril/onnx/file.hpp"
#include "mithril/onnx/known_tensor.hpp"

namespace mithril::onnx {

// The elements as a tensor of held_dtype(type). It shares the elements of the mapped file where
// they are `raw_data`, or external data, of that dtype and aligned to their size, and may be
// written to: the file does not change. Where they are not aligned, the first use copies them.
// `where` names the tensor in errors. ParseError E1303 if the number of elements in the file is not
// that of the dims, E1304 for dims that are negative or too large, E1307 for external data beyond
// the end of its file; TypeError E1305 for elements that tensors cannot have; InputError E1306 for
// external data outside of the folder of the file.
KnownTensor read_tensor(const TensorRecord& record, const FileRecord& file,
                        const std::string& where);

}  // namespace mithril::onnx
