# The plugin libmithril_torch.so, built against the torch of the Python in use. Only headers and two
# libraries of torch are used, so its own CMake package (which looks for CUDA's compiler) is not.
if(NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
          "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))"
  OUTPUT_VARIABLE MITHRIL_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  if(NOT MITHRIL_TORCH STREQUAL "AUTO")
    message(FATAL_ERROR "MITHRIL_TORCH=${MITHRIL_TORCH} needs torch in '${Python_EXECUTABLE}': "
                        "pip install torch")
  endif()
  message(STATUS "PyTorch: not found, so the backend on it is left out")
  return()
endif()
message(STATUS "PyTorch: ${MITHRIL_TORCH_DIR}")

add_library(mithril_torch_headers INTERFACE)
target_include_directories(mithril_torch_headers SYSTEM INTERFACE "${MITHRIL_TORCH_DIR}/include"
                           "${MITHRIL_TORCH_DIR}/include/torch/csrc/api/include")
target_link_directories(mithril_torch_headers INTERFACE "${MITHRIL_TORCH_DIR}/lib")
target_link_libraries(mithril_torch_headers INTERFACE torch_cpu c10)

# Tensors of either library as those of the other: for the plugin, for mithril._torch, and, as
# Mithril::torch, for programs that have at::Tensors of their own.
add_library(mithril_torch_tensors STATIC "${PROJECT_SOURCE_DIR}/backends/torch/tensors.cpp")
add_library(Mithril::torch ALIAS mithril_torch_tensors)
mithril_set_warnings(mithril_torch_tensors)
target_compile_features(mithril_torch_tensors PUBLIC cxx_std_20)
target_include_directories(mithril_torch_tensors PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(mithril_torch_tensors PUBLIC mithril_core mithril_torch_headers)
set_target_properties(mithril_torch_tensors PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)

file(GLOB torch_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/torch/*.cpp")
list(REMOVE_ITEM torch_sources "${PROJECT_SOURCE_DIR}/backends/torch/tensors.cpp")
add_library(mithril_torch MODULE ${torch_sources})
mithril_set_warnings(mithril_torch)
target_compile_features(mithril_torch PRIVATE cxx_std_20)
target_include_directories(mithril_torch PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(mithril_torch PRIVATE mithril_torch_tensors)
set_target_properties(mithril_torch PROPERTIES
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  BUILD_RPATH "${MITHRIL_TORCH_DIR}/lib"
  INSTALL_RPATH "$ORIGIN"
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

# The module mithril._torch, where Python modules are built at all.
function(mithril_add_torch_module package_dir)
  pybind11_add_module(mithril_python_torch NO_EXTRAS
                      "${PROJECT_SOURCE_DIR}/python/src/torch/module.cpp")
  mithril_set_warnings(mithril_python_torch)
  target_include_directories(mithril_python_torch PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(mithril_python_torch PRIVATE mithril_torch_tensors torch_python)
  set_target_properties(mithril_python_torch PROPERTIES
    OUTPUT_NAME _torch
    LIBRARY_OUTPUT_DIRECTORY "${package_dir}"
    BUILD_RPATH "${MITHRIL_TORCH_DIR}/lib"
    INSTALL_RPATH "$ORIGIN")
endfunction()
