# Installs the libraries, their headers, and what find_package(Mithril CONFIG) reads.
include(CMakePackageConfigHelpers)

set(MITHRIL_CONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Mithril")
set(MITHRIL_LIBRARIES mithril_core mithril_cpu mithril_codegen mithril_onnx)
if(TARGET mithril_c)
  list(APPEND MITHRIL_LIBRARIES mithril_c)
  install(FILES "${PROJECT_SOURCE_DIR}/mithril/c/mithril.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          COMPONENT libraries)
endif()
# `make demo` builds some targets only. `cmake --install` builds the rest.
if(PROJECT_IS_TOP_LEVEL AND NOT SKBUILD)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target libraries
                                COMMAND_ERROR_IS_FATAL ANY)" ALL_COMPONENTS)
endif()
if(mithril_cpu_target MATCHES "avx")
  set(notice "The installed CPU backend needs a processor with ${mithril_cpu_target}. For others: "
             "cmake -DMITHRIL_CPU_TARGETS=all ${PROJECT_BINARY_DIR}")
  string(CONCAT notice ${notice})
  install(CODE "message(NOTICE \"${notice}\")" COMPONENT libraries)
endif()
include(MithrilHeaders)
# The ones in ops/support are for records of ops (docs/add-an-op.md).
mithril_headers_of(public_headers mithril/mithril.hpp mithril/extension.hpp mithril/onnx/read_onnx.hpp
                   mithril/onnx/export/write_onnx.hpp
                   backends/torch/torch.hpp
                   mithril/ops/support/axes.hpp mithril/ops/support/broadcasting.hpp
                   mithril/ops/support/elementwise.hpp mithril/ops/support/reduction.hpp)
mithril_install_headers(libraries ${public_headers})
install(TARGETS mithril_all ${MITHRIL_LIBRARIES} EXPORT MithrilTargets COMPONENT libraries)
get_target_property(fmt_type fmt::fmt TYPE)
if(BUILD_SHARED_LIBS AND NOT fmt_type STREQUAL "INTERFACE_LIBRARY")
  install(IMPORTED_RUNTIME_ARTIFACTS fmt::fmt COMPONENT libraries)
endif()
get_target_property(utf8proc_type Utf8proc::utf8proc TYPE)
if(BUILD_SHARED_LIBS AND utf8proc_type STREQUAL "SHARED_LIBRARY")
  install(IMPORTED_RUNTIME_ARTIFACTS Utf8proc::utf8proc COMPONENT libraries)
endif()
install(EXPORT MithrilTargets NAMESPACE Mithril:: DESTINATION "${MITHRIL_CONFIG_DIR}"
        COMPONENT libraries)

configure_package_config_file(cmake/MithrilConfig.cmake.in MithrilConfig.cmake
                              INSTALL_DESTINATION "${MITHRIL_CONFIG_DIR}")
write_basic_package_version_file(MithrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/MithrilConfig.cmake"
              "${PROJECT_BINARY_DIR}/MithrilConfigVersion.cmake" cmake/FindUtf8proc.cmake
        DESTINATION "${MITHRIL_CONFIG_DIR}" COMPONENT libraries)

# The server is a component of its own, because few programs need it.
if(TARGET mithril_server)
  install(TARGETS mithril_server EXPORT MithrilServerTargets COMPONENT server)
  mithril_headers_of(server_headers mithril/server/http_server.hpp)
  list(REMOVE_ITEM server_headers ${public_headers})
  mithril_install_headers(server ${server_headers})
  install(EXPORT MithrilServerTargets NAMESPACE Mithril:: DESTINATION "${MITHRIL_CONFIG_DIR}"
          COMPONENT server)
endif()

if(TARGET mithril_command)
  install(TARGETS mithril_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
endif()

# The libraries for one release of torch are a component of their own.
if(TARGET mithril_torch)
  install(TARGETS ${mithril_torch_libraries}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT torch)
  mithril_headers_of(torch_headers backends/torch/tensors.hpp)
  list(REMOVE_ITEM torch_headers ${public_headers})
  mithril_install_headers(torch ${torch_headers})
  install(TARGETS mithril_torch_tensors EXPORT MithrilTorchTargets COMPONENT torch)
  install(EXPORT MithrilTorchTargets NAMESPACE Mithril:: DESTINATION "${MITHRIL_CONFIG_DIR}"
          COMPONENT torch)
  configure_file(cmake/MithrilTorchComponent.cmake.in MithrilTorchComponent.cmake @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/MithrilTorchComponent.cmake" cmake/MithrilFindTorch.cmake
          DESTINATION "${MITHRIL_CONFIG_DIR}" COMPONENT torch)
endif()
