# The C interface, libmithril_c.so: the functions of mithril/c/mithril.h and no other symbol. Mithril::c has no
# requirement of C++, so that projects of other languages can link with it.
file(GLOB c_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/mithril/c/*.cpp")
add_library(mithril_c SHARED ${c_sources})
add_library(Mithril::c ALIAS mithril_c)
mithril_set_warnings(mithril_c)
target_compile_definitions(mithril_c PRIVATE MITHRIL_BUILDING)
target_include_directories(mithril_c PRIVATE "${PROJECT_SOURCE_DIR}"
                           INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/mithril/c>
                                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(mithril_c PRIVATE mithril_core mithril_cpu ${mithril_fmt})
set_target_properties(mithril_c PROPERTIES
  EXPORT_NAME c
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  INSTALL_RPATH "$ORIGIN"
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/mithril/c/exports.map")
target_link_options(mithril_c PRIVATE "-Wl,--version-script=${PROJECT_SOURCE_DIR}/mithril/c/exports.map")
if(NOT SKBUILD)
  set_target_properties(mithril_c PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1)
endif()
