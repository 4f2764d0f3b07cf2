# `cpack` in the folder of the build writes an archive and a package for Debian with the libraries and, where
# it was built, the server.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_LICENSES"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT libraries)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME mithril-cpp)
set(CPACK_PACKAGE_VENDOR "Mithril for C++")
set(CPACK_PACKAGE_CONTACT "Mithril for C++")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compose, compile and train models of named ports")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" package_system)
set(CPACK_PACKAGE_FILE_NAME "mithril-cpp-${PROJECT_VERSION}-${package_system}")
set(CPACK_COMPONENTS_ALL libraries)
if(TARGET mithril_server)
  list(APPEND CPACK_COMPONENTS_ALL server)
endif()
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_NAME mithril-cpp-dev)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The package for Debian has a folder of its own, because it holds the fmt and the utf8proc that it loads.
file(CONFIGURE OUTPUT MithrilPackageOptions.cmake CONTENT [[
if("@MITHRIL_CPU_TARGETS@" STREQUAL "native")
  message(FATAL_ERROR "This build is for its own processor, and a package for others: configure it with "
                      "-DMITHRIL_CPU_TARGETS=all")
endif()
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /opt/mithril-cpp)
else()
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
]] @ONLY)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_BINARY_DIR}/MithrilPackageOptions.cmake")
include(CPack)
