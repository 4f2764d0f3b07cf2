// Files that a missing one may have been meant to be.
#pragma once

#include <string>

namespace mithril::cli {

// "did you mean 'net.onnx'?" by the names in the folder of the path; empty if the file exists, or
// if no name is near.
std::string near_files(const std::string& path);

}  // namespace mithril::cli
