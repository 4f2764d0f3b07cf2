// The files of the page, which CMake embeds.
#pragma once

#include <cstddef>

namespace mithril {

struct PageFile {
  const char *name, *text;
};
extern const PageFile page_files[];
extern const std::size_t page_file_count;

}  // namespace mithril
