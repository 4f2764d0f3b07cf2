# Which files make up the libraries: the ops of mithril/ops/list.inc, and every other source.
file(GLOB_RECURSE MITHRIL_CORE_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     mithril/*.cpp)
list(FILTER MITHRIL_CORE_SOURCES EXCLUDE REGEX "^mithril/(c|cli|export|onnx|ops|server)/")

# The file of an op is mithril/ops/HEADING/NAME.cpp, where HEADING is the heading above its line.
set(listed_ops "")
if(EXISTS "${PROJECT_SOURCE_DIR}/mithril/ops/list.inc")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS mithril/ops/list.inc)
  file(STRINGS mithril/ops/list.inc op_lines REGEX "^(// ---- .* ----|MITHRIL_OP\\(.*)$")
  foreach(line IN LISTS op_lines)
    if(line MATCHES "^// ---- (.*) ----$")
      string(REPLACE " " "_" op_folder "mithril/ops/${CMAKE_MATCH_1}")
    elseif(line MATCHES "^MITHRIL_OP\\( *([a-z0-9_]+) *,")
      list(APPEND listed_ops "${op_folder}/${CMAKE_MATCH_1}.cpp")
    endif()
  endforeach()
endif()

file(GLOB_RECURSE op_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" mithril/ops/*.cpp)
foreach(source IN LISTS op_files)
  if(NOT source IN_LIST listed_ops AND NOT source STREQUAL "mithril/ops/registry.cpp")
    message(FATAL_ERROR "${source}: expected a line under the heading of its folder in "
                        "mithril/ops/list.inc, got none; add one, or move the file to another "
                        "folder of mithril if it is not an op")
  endif()
endforeach()
foreach(source IN LISTS listed_ops)
  if(NOT source IN_LIST op_files)
    message(FATAL_ERROR "mithril/ops/list.inc: expected the file ${source}, got none")
  endif()
endforeach()
list(APPEND MITHRIL_CORE_SOURCES ${op_files})

file(GLOB MITHRIL_ONNX_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     mithril/onnx/*.cpp mithril/onnx/export/*.cpp)

file(GLOB_RECURSE MITHRIL_CPU_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     backends/cpu/*.cpp)

# Generated programs contain the headers of codegen/cpp/kernels, the functions of codegen/jax/kernels and
# codegen/javascript/kernels and codegen/webgpu/kernels, and the files of codegen/web. The library holds them
# as string literals.
file(GLOB MITHRIL_CODEGEN_SOURCES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" codegen/*/*.cpp
     mithril/export/*.cpp)
file(GLOB snippets CONFIGURE_DEPENDS codegen/cpp/kernels/*.hpp mithril/ops/shared/*.hpp)
file(GLOB jax_snippets CONFIGURE_DEPENDS codegen/jax/kernels/*.py)
file(GLOB javascripts CONFIGURE_DEPENDS codegen/javascript/kernels/*.js)
file(GLOB webgpus CONFIGURE_DEPENDS codegen/webgpu/kernels/*.js)
file(GLOB webs CONFIGURE_DEPENDS LIST_DIRECTORIES false codegen/web/* codegen/web/driver/*)
list(FILTER webs EXCLUDE REGEX "/(web|write)_[a-z_]+[.][ch]pp$")
set(name_of_snippet STEM)
set(name_of_jax_snippet STEM)
set(name_of_javascript STEM)
set(name_of_webgpu STEM)
set(name_of_web FILENAME)
foreach(kind IN ITEMS snippet jax_snippet javascript webgpu web)
  set(entries "")
  set(count 0)
  foreach(snippet IN LISTS ${kind}s)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${snippet}")
    cmake_path(GET snippet ${name_of_${kind}} name)
    file(READ "${snippet}" text)
    string(APPEND entries "    {\"${name}\", R\"snippet(${text})snippet\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(${kind}_source "${PROJECT_BINARY_DIR}/codegen/${kind}_files.cpp")
  file(CONFIGURE OUTPUT "${${kind}_source}" @ONLY CONTENT [=[
// Written by CMake from the files of codegen.
#include <cstddef>

namespace mithril::codegen {

struct SnippetFile {
  const char *name, *text;
};
extern const SnippetFile @kind@_files[];
extern const size_t @kind@_file_count;

const SnippetFile @kind@_files[] = {
@entries@};
const size_t @kind@_file_count = @count@;

}  // namespace mithril::codegen
]=])
  list(APPEND MITHRIL_CODEGEN_SOURCES "${${kind}_source}")
endforeach()

# A generated library contains the header of the C interface and its implementation. A CUDA kernel
# contains its prelude.
set(file_texts "")
foreach(entry IN ITEMS "library_header mithril/c/mithril.h" "library_exports mithril/c/exports.map"
                       "library_interface codegen/cpp/c_interface.hpp"
                       "cuda_prelude_text codegen/cuda/prelude.cuh")
  string(REPLACE " " ";" entry "${entry}")
  list(GET entry 0 variable)
  list(GET entry 1 path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" text)
  string(APPEND file_texts "const char* const ${variable} = R\"file(${text})file\";\n")
endforeach()
set(file_text_source "${PROJECT_BINARY_DIR}/codegen/file_texts.cpp")
file(CONFIGURE OUTPUT "${file_text_source}" @ONLY CONTENT [=[
// Written by CMake from mithril/c/mithril.h, mithril/c/exports.map, codegen/cpp and codegen/cuda.
namespace mithril::codegen {

extern const char* const library_header;
extern const char* const library_exports;
extern const char* const library_interface;
extern const char* const cuda_prelude_text;

@file_texts@
}  // namespace mithril::codegen
]=])
list(APPEND MITHRIL_CODEGEN_SOURCES "${file_text_source}")

# The page of the viewer: its styles and scripts, and the library that lays graphs out.
file(GLOB page_files CONFIGURE_DEPENDS mithril/viewer/page/*.js mithril/viewer/page/*.css
     mithril/viewer/page/*.html mithril/viewer/dagre/*.js)
set(entries "")
list(LENGTH page_files count)
foreach(page_file IN LISTS page_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page_file}")
  cmake_path(GET page_file FILENAME name)
  file(READ "${page_file}" text)
  string(APPEND entries "    {\"${name}\", R\"page(${text})page\"},\n")
endforeach()
set(page_source "${PROJECT_BINARY_DIR}/viewer/page_files.cpp")
file(CONFIGURE OUTPUT "${page_source}" @ONLY CONTENT [=[
// Written by CMake from the files of mithril/viewer.
#include "mithril/viewer/page_files.hpp"

namespace mithril {

const PageFile page_files[] = {
@entries@};
const std::size_t page_file_count = @count@;

}  // namespace mithril
]=])
list(APPEND MITHRIL_CORE_SOURCES "${page_source}")
