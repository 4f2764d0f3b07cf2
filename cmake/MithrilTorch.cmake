# The backend on PyTorch, libmithril_torch.so, built against the torch of the Python in use.
if(NOT Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
include(MithrilFindTorch)
if(NOT MITHRIL_TORCH_DIR)
  if(NOT MITHRIL_TORCH STREQUAL "AUTO")
    message(FATAL_ERROR "MITHRIL_TORCH=${MITHRIL_TORCH} needs torch in '${Python_EXECUTABLE}': "
                        "pip install torch")
  endif()
  message(STATUS "PyTorch: not found, so the backend on it is left out")
  return()
endif()
# Where installed libraries look for those of torch, if the program has not loaded them.
if(NOT MITHRIL_TORCH_RPATH)
  set(MITHRIL_TORCH_RPATH "${MITHRIL_TORCH_DIR}/lib")
endif()
message(STATUS "PyTorch: ${MITHRIL_TORCH_VERSION} in ${MITHRIL_TORCH_DIR}")

# Converts tensors of torch to tensors of Mithril and back: for the plugin, for mithril._torch, and, as
# Mithril::torch, for programs that use at::Tensor.
add_library(mithril_torch_tensors STATIC "${PROJECT_SOURCE_DIR}/backends/torch/tensors.cpp")
add_library(Mithril::torch ALIAS mithril_torch_tensors)
mithril_set_warnings(mithril_torch_tensors)
target_compile_features(mithril_torch_tensors PUBLIC cxx_std_20)
target_include_directories(mithril_torch_tensors PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(mithril_torch_tensors PUBLIC mithril_core Mithril::torch_library)
set_target_properties(mithril_torch_tensors PROPERTIES
  EXPORT_NAME torch
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)

# Two libraries beside libmithril_core.so: the backend, which is compiled against torch, and the plugin,
# which opens the backend if it finds the same torch. Programs that do not link torch find it, too.
file(GLOB_RECURSE torch_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/torch/*.cpp")
list(FILTER torch_sources EXCLUDE REGEX "/backends/torch/((plugin|tensors)[.]cpp|cuda/.*)$")
add_library(mithril_torch_backend MODULE ${torch_sources})
target_link_libraries(mithril_torch_backend PRIVATE mithril_torch_tensors mithril_codegen
                                                    ${CMAKE_DL_LIBS})
# Alone, because it includes declarations in place of headers of gloo.
set_source_files_properties("${PROJECT_SOURCE_DIR}/backends/torch/distributed/start_group.cpp" PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON
  INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/backends/torch/distributed/declarations")
mithril_unite(mithril_torch_backend)
add_library(mithril_torch MODULE "${PROJECT_SOURCE_DIR}/backends/torch/plugin.cpp")
target_link_libraries(mithril_torch PRIVATE mithril_core ${CMAKE_DL_LIBS})
target_compile_definitions(mithril_torch PRIVATE
                           "MITHRIL_TORCH_RELEASE=\"${MITHRIL_TORCH_VERSION}\"")
add_dependencies(mithril_torch mithril_torch_backend)
set(mithril_torch_libraries mithril_torch mithril_torch_backend)
# The library of CUDA graphs and kernels, opened on first use. It is compiled if torch supports CUDA and the
# headers of CUDA are installed, by the toolkit or by pip beside torch.
set(torch_cuda "${MITHRIL_TORCH_DIR}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}torch_cuda${CMAKE_SHARED_LIBRARY_SUFFIX}")
find_path(MITHRIL_CUDA_INCLUDE_DIR cuda_runtime_api.h
          HINTS "${MITHRIL_TORCH_DIR}/../nvidia/cu13/include"
                "${MITHRIL_TORCH_DIR}/../nvidia/cuda_runtime/include"
          PATHS /usr/local/cuda/include)
if(EXISTS "${torch_cuda}" AND MITHRIL_CUDA_INCLUDE_DIR)
  file(GLOB torch_cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/torch/cuda/*.cpp")
  add_library(mithril_torch_cuda MODULE ${torch_cuda_sources})
  target_link_libraries(mithril_torch_cuda PRIVATE mithril_torch_tensors "${torch_cuda}")
  target_include_directories(mithril_torch_cuda SYSTEM PRIVATE "${MITHRIL_CUDA_INCLUDE_DIR}")
  mithril_unite(mithril_torch_cuda)
  list(APPEND mithril_torch_libraries mithril_torch_cuda)
  add_dependencies(mithril_torch mithril_torch_cuda)
endif()

foreach(library IN LISTS mithril_torch_libraries)
  mithril_set_warnings(${library})
  target_compile_features(${library} PRIVATE cxx_std_20)
  target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}")
  set_target_properties(${library} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    BUILD_RPATH "${MITHRIL_TORCH_DIR}/lib"
    INSTALL_RPATH "$ORIGIN;${MITHRIL_TORCH_RPATH}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endforeach()

# The module mithril._torch, in the package of the build, with the note of what it was built for.
function(mithril_add_torch_module package_dir)
  Python_add_library(mithril_python_torch MODULE WITH_SOABI
                     "${PROJECT_SOURCE_DIR}/python/src/torch/module.cpp")
  mithril_set_warnings(mithril_python_torch)
  target_include_directories(mithril_python_torch PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(mithril_python_torch PRIVATE mithril_torch_tensors
    "${MITHRIL_TORCH_DIR}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}torch_python${CMAKE_SHARED_LIBRARY_SUFFIX}")
  set_target_properties(mithril_python_torch PROPERTIES
    OUTPUT_NAME _torch
    LIBRARY_OUTPUT_DIRECTORY "${package_dir}"
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH "$ORIGIN;${MITHRIL_TORCH_RPATH}")

  set(note "${CMAKE_CURRENT_BINARY_DIR}/_torch_build.json")
  file(CONFIGURE OUTPUT "${note}" @ONLY CONTENT
       "{\"torch\": \"@MITHRIL_TORCH_VERSION@\", \"core\": \"@MITHRIL_CORE_SHA256@\"}\n")
  add_custom_command(TARGET mithril_python_torch POST_BUILD
                     COMMAND "${CMAKE_COMMAND}" -E copy "${note}" "${package_dir}")
endfunction()
