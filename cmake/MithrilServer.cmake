# The HTTP server, libmithril_server.so, where the headers of Boost are installed.
if(NOT MITHRIL_SERVER)
  return()
endif()
find_path(MITHRIL_BOOST_INCLUDE_DIR boost/beast/http/basic_parser.hpp)
mark_as_advanced(MITHRIL_BOOST_INCLUDE_DIR)
if(NOT MITHRIL_BOOST_INCLUDE_DIR)
  if(NOT MITHRIL_SERVER STREQUAL "AUTO")
    message(FATAL_ERROR "MITHRIL_SERVER=${MITHRIL_SERVER} needs Boost.Beast: "
                        "apt-get install libboost-dev")
  endif()
  message(STATUS "Boost.Beast: not found, so the server is left out")
  return()
endif()

file(GLOB server_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/mithril/server/*.cpp")
mithril_add_library(server ${server_sources})
target_include_directories(mithril_server SYSTEM PRIVATE "${MITHRIL_BOOST_INCLUDE_DIR}")
target_link_libraries(mithril_server PUBLIC mithril_core
                                     PRIVATE $<BUILD_INTERFACE:ZLIB::ZLIB> ${mithril_fmt} Threads::Threads)
mithril_unite(mithril_server)

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
