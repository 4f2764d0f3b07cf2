// Writes zip archives whose entries can be mapped.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

struct ZipInput {
  std::string name;  // relative, UTF-8, at most 65,535 bytes
  std::string_view bytes;
};

// Writes an archive with these entries without compression, each at a multiple of 64 bytes, so that
// mapped tensors are aligned. The file appears as a whole or not at all. The same entries give the
// same bytes. Returns an empty string, or the system's reason for a failure.
std::string write_zip(const std::string& path, std::span<const ZipInput> entries);

}  // namespace mithril
