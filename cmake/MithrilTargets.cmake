# How every target is compiled: the language, the warnings, the cache of compiled files.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  # Do not relink programs when a shared library was relinked.
  set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(MITHRIL_CCACHE ccache)
    if(MITHRIL_CCACHE)
      # Checkouts and build trees at one depth, that of a wheel included, share what they compile: ccache
      # replaces the path of the project in the command and in the preprocessed source.
      set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
          "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${MITHRIL_CCACHE}")
    endif()
  endif()
endif()

# GCC collects garbage when its heap exceeds 512 MiB. Compiling takes a tenth less time and a quarter more
# memory.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

# __FILE__ names a source from the root of the project: no binary, and so no message, holds the path
# of a build.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
# ccache makes paths below its base relative to the build tree, which may be elsewhere.
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${PROJECT_BINARY_DIR}" NORMALIZE builds_inside)
if(NOT builds_inside)
  file(RELATIVE_PATH sources_from_build "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  add_compile_options("-fmacro-prefix-map=${sources_from_build}/=")
endif()

# Records leave out the fields that keep their defaults, so missing initializers are meant;
# g++ 12 warns of overlapping copies in std::string::operator+ without cause (GCC bug 105651).
function(mithril_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                         $<$<BOOL:${MITHRIL_WERROR}>:-Werror>
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>)
endfunction()

# A library mithril_NAME with the alias Mithril::NAME.
function(mithril_add_library name)
  add_library(mithril_${name} ${ARGN})
  add_library(Mithril::${name} ALIAS mithril_${name})
  mithril_set_warnings(mithril_${name})
  target_compile_features(mithril_${name} PUBLIC cxx_std_20)
  target_include_directories(mithril_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${MITHRIL_INCLUDE_DIR}>)
  set_target_properties(mithril_${name} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    INSTALL_RPATH "$ORIGIN")
  # A library calls its own functions. Else a program replaces those that it compiles from the same headers,
  # as constructors and functions of std::vector: a program without optimization slows the library down.
  if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    target_link_options(mithril_${name} PRIVATE LINKER:-Bsymbolic-functions)
  endif()
  # A wheel holds no links, so the libraries inside one carry no version in their names.
  if(NOT SKBUILD)
    set_target_properties(mithril_${name} PROPERTIES
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  endif()
endfunction()

# Sources of the library mithril_NAME that are compiled with options of their own, together if sources of a
# library are. The options of a source would keep it out of a unity file.
function(mithril_add_part name part)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "SOURCES;OPTIONS;LIBRARIES")
  set(target mithril_${name}_${part})
  add_library(${target} OBJECT ${given_SOURCES})
  mithril_set_warnings(${target})
  mithril_unite(${target})
  target_compile_options(${target} PRIVATE ${given_OPTIONS})
  target_link_libraries(${target} PRIVATE ${given_LIBRARIES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(mithril_${name} PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# Each source in the calling directory becomes a program of its name, linked with the libraries.
function(mithril_add_programs)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM program)
    add_executable(${program} ${source})
    mithril_set_warnings(${program})
    target_link_libraries(${program} PRIVATE Mithril::core $<TARGET_NAME_IF_EXISTS:Mithril::cpu>)
  endforeach()
endfunction()

# Compiles the target's sources together: CMAKE_UNITY_BUILD_BATCH_SIZE sources in a file, or 36. Most of the
# time of a build is for headers and templates that many sources share. A directory begins a new file if
# the last one is at least half full, so that a new source changes few files. Sources that are compiled
# together must not define the same names.
function(mithril_unite target)
  if(NOT MITHRIL_UNITY)
    return()
  endif()
  set(batch 36)
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(batch "${CMAKE_UNITY_BUILD_BATCH_SIZE}")
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "TARGET_OBJECTS")
  list(SORT sources)
  set(group 0)
  set(count 0)
  set(last_directory "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH directory)
    math(EXPR twice "2 * ${count}")
    if(count EQUAL batch OR (NOT directory STREQUAL last_directory AND twice GREATER_EQUAL batch))
      math(EXPR group "${group} + 1")
      set(count 0)
    endif()
    math(EXPR count "${count} + 1")
    set(last_directory "${directory}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    cmake_path(GET source STEM name)
    if(name IN_LIST MITHRIL_ALONE)
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
