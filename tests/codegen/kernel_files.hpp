// The text of CUDA kernels in files, one for each kernel, which
// python/tests/backends/test_cuda_kernels.py compiles.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace mithril::tests {

std::string contents_of_kernel_file(const std::filesystem::path& path);

// Checks that the folder has a file NAME.cu for each name of `texts`, with its text, and no other.
// With the environment variable MITHRIL_WRITE_KERNELS it writes these files first.
void check_kernel_files(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& texts);

}  // namespace mithril::tests
