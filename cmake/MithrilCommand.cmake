# The command `mithril`, where the headers of CLI11 are installed.
if(NOT MITHRIL_COMMAND OR NOT TARGET mithril_cpu)
  return()
endif()
find_path(MITHRIL_CLI11_INCLUDE_DIR CLI/CLI.hpp)
mark_as_advanced(MITHRIL_CLI11_INCLUDE_DIR)
if(NOT MITHRIL_CLI11_INCLUDE_DIR)
  if(NOT MITHRIL_COMMAND STREQUAL "AUTO")
    message(FATAL_ERROR "MITHRIL_COMMAND=${MITHRIL_COMMAND} needs CLI11: "
                        "apt-get install libcli11-dev")
  endif()
  message(STATUS "CLI11: not found, so the command mithril is left out")
  return()
endif()

file(GLOB command_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/mithril/cli/*.cpp" "${PROJECT_SOURCE_DIR}/mithril/cli/commands/*.cpp")
if(NOT TARGET mithril_server)
  list(FILTER command_sources EXCLUDE REGEX "commands/serve.cpp$")
else()
  list(FILTER command_sources EXCLUDE REGEX "commands/serve_in_python.cpp$")
endif()
add_executable(mithril_command ${command_sources})
mithril_set_warnings(mithril_command)
target_include_directories(mithril_command SYSTEM PRIVATE "${MITHRIL_CLI11_INCLUDE_DIR}")
target_link_libraries(mithril_command PRIVATE mithril_core mithril_cpu mithril_codegen mithril_onnx
                                              $<TARGET_NAME_IF_EXISTS:mithril_server> ${mithril_fmt})
target_compile_options(mithril_command PRIVATE ${compose_options})
mithril_unite(mithril_command)
# In the build it is build/release/bin/mithril.
set_target_properties(mithril_command PROPERTIES
  OUTPUT_NAME mithril
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
