// The text of a file that generated source contains parts of. CMake makes the tables.
#pragma once

namespace mithril::codegen {

struct SnippetFile {
  const char *name, *text;
};

}  // namespace mithril::codegen
