// Suggestions for a missing file.
#pragma once

#include <string>

namespace mithril::cli {

// Returns "did you mean 'net.onnx'?" for the nearest names in the folder of the path. Returns an
// empty string if the file exists or no name is near.
std::string near_files(const std::string& path);

}  // namespace mithril::cli
