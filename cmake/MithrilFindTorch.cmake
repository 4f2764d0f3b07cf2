# Finds the torch of the Python in use (Python_EXECUTABLE), or the one in MITHRIL_TORCH_DIR: sets
# MITHRIL_TORCH_DIR and MITHRIL_TORCH_VERSION, and makes Mithril::torch_library of it. Neither is set
# where there is none. Only headers and two libraries of torch are used, so its own CMake package
# (which looks for CUDA's compiler) is not.
if(NOT MITHRIL_TORCH_DIR)
  if(NOT Python_EXECUTABLE)
    find_package(Python 3.10 QUIET COMPONENTS Interpreter)
  endif()
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
            "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))"
    OUTPUT_VARIABLE MITHRIL_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT MITHRIL_TORCH_DIR)
  return()
endif()

file(STRINGS "${MITHRIL_TORCH_DIR}/include/torch/headeronly/version.h" MITHRIL_TORCH_VERSION
     REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
list(TRANSFORM MITHRIL_TORCH_VERSION REPLACE ".* " "")
list(JOIN MITHRIL_TORCH_VERSION "." MITHRIL_TORCH_VERSION)

if(NOT TARGET Mithril::torch_library)
  add_library(Mithril::torch_library INTERFACE IMPORTED GLOBAL)
  target_include_directories(Mithril::torch_library SYSTEM INTERFACE
    "${MITHRIL_TORCH_DIR}/include" "${MITHRIL_TORCH_DIR}/include/torch/csrc/api/include")
  # Another release of torch changes this definition, so that everything is compiled again even if the
  # headers of that release are older.
  target_compile_definitions(Mithril::torch_library INTERFACE
    "MITHRIL_TORCH_RELEASE=\"${MITHRIL_TORCH_VERSION}\"")
  foreach(library IN ITEMS torch_cpu c10)
    target_link_libraries(Mithril::torch_library INTERFACE
      "${MITHRIL_TORCH_DIR}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}${library}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  endforeach()
endif()
