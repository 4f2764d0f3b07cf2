# The HTTP server, libmithril_server.so, where cpp-httplib is installed.
if(NOT MITHRIL_SERVER)
  return()
endif()
find_package(httplib CONFIG QUIET)
if(TARGET httplib::httplib)
  set(server_http httplib::httplib)
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(MITHRIL_HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
  endif()
  if(NOT MITHRIL_HTTPLIB_FOUND)
    if(NOT MITHRIL_SERVER STREQUAL "AUTO")
      message(FATAL_ERROR "MITHRIL_SERVER=${MITHRIL_SERVER} needs cpp-httplib and pkg-config: "
                          "apt-get install libcpp-httplib-dev pkg-config")
    endif()
    message(STATUS "cpp-httplib: not found, so the server is left out")
    return()
  endif()
  set(server_http PkgConfig::MITHRIL_HTTPLIB)
endif()

file(GLOB server_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/mithril/server/*.cpp")
# Sources are not compiled together: <httplib.h> brings std::quoted into sight of calls of ours.
mithril_add_library(server ${server_sources})
target_link_libraries(mithril_server PUBLIC mithril_core
                                     PRIVATE $<BUILD_INTERFACE:${server_http}> Threads::Threads)

# The module mithril._server, in the package of the build.
function(mithril_add_server_module package_dir)
  Python_add_library(mithril_python_server MODULE WITH_SOABI
                     "${PROJECT_SOURCE_DIR}/python/src/server/module.cpp")
  mithril_set_warnings(mithril_python_server)
  target_link_libraries(mithril_python_server PRIVATE mithril_server pybind11::module)
  set_target_properties(mithril_python_server PROPERTIES
    OUTPUT_NAME _server
    LIBRARY_OUTPUT_DIRECTORY "${package_dir}"
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH "$ORIGIN")
endfunction()
