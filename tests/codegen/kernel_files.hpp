// Files of the text of CUDA kernels: git tracks a few, and
// python/tests/backends/test_cuda_kernels.py compiles all of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mithril::tests {

std::string contents_of_kernel_file(const std::filesystem::path& path);

// Checks that the folder has a file NAME.cu for each name of `kept`, with its text, and no other.
// With the environment variable MITHRIL_WRITE_KERNELS it writes these files first. With
// MITHRIL_CUDA_KERNELS=DIRECTORY it writes all texts to a folder of the same name in DIRECTORY.
void check_kernel_files(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& texts,
                        const std::vector<std::string>& kept);

}  // namespace mithril::tests
