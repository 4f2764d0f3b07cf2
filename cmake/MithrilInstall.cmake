# Installs the libraries, their headers, and what find_package(Mithril CONFIG) reads.
include(CMakePackageConfigHelpers)

set(MITHRIL_CONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Mithril")
set(MITHRIL_LIBRARIES mithril_core mithril_codegen)
if(TARGET mithril_cpu)
  list(APPEND MITHRIL_LIBRARIES mithril_cpu)
endif()

install(TARGETS ${MITHRIL_LIBRARIES} EXPORT MithrilTargets COMPONENT libraries)
install(DIRECTORY mithril backends DESTINATION "${MITHRIL_INCLUDE_DIR}" COMPONENT libraries
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(FILES codegen/write_cpp.hpp DESTINATION "${MITHRIL_INCLUDE_DIR}/codegen"
        COMPONENT libraries)
install(EXPORT MithrilTargets NAMESPACE Mithril:: DESTINATION "${MITHRIL_CONFIG_DIR}"
        COMPONENT libraries)

configure_package_config_file(cmake/MithrilConfig.cmake.in MithrilConfig.cmake
                              INSTALL_DESTINATION "${MITHRIL_CONFIG_DIR}")
write_basic_package_version_file(MithrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/MithrilConfig.cmake"
              "${PROJECT_BINARY_DIR}/MithrilConfigVersion.cmake"
        DESTINATION "${MITHRIL_CONFIG_DIR}" COMPONENT libraries)

# What is bound to one release of torch is installed beside the rest, and can be left out of it.
if(TARGET mithril_torch)
  install(TARGETS ${mithril_torch_libraries}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT torch)
  install(TARGETS mithril_torch_tensors EXPORT MithrilTorchTargets COMPONENT torch)
  install(EXPORT MithrilTorchTargets NAMESPACE Mithril:: DESTINATION "${MITHRIL_CONFIG_DIR}"
          COMPONENT torch)
  configure_file(cmake/MithrilTorchComponent.cmake.in MithrilTorchComponent.cmake @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/MithrilTorchComponent.cmake" cmake/MithrilFindTorch.cmake
          DESTINATION "${MITHRIL_CONFIG_DIR}" COMPONENT torch)
endif()
