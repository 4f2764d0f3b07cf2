# What a build needs: one error names all that is missing, with the packages of Debian.
set(mithril_missing "")
set(mithril_missing_packages "")

macro(mithril_add_missing what package)
  list(APPEND mithril_missing "${what}")
  list(APPEND mithril_missing_packages "${package}")
endmacro()

# CMake looks for libraries where it has a compiler. Elsewhere their headers tell.
macro(mithril_need package header name version)
  if(CMAKE_CXX_COMPILER_LOADED)
    find_package(${name} ${version} QUIET)
  else()
    find_path(${name}_FOUND ${header} PATHS /usr/include /usr/local/include NO_CACHE)
  endif()
  if(NOT ${name}_FOUND)
    mithril_add_missing("${name} ${version}" ${package})
  endif()
endmacro()

# Sets the cache variable VARIABLE to the folder that holds the header.
macro(mithril_need_headers variable name header package)
  find_path(${variable} ${header} PATHS /usr/include /usr/local/include
            DOC "The folder that holds the headers of ${name}")
  if(NOT ${variable})
    mithril_add_missing(${name} ${package})
  endif()
endmacro()

# pip builds the Python module and the command. Other builds may leave them out.
macro(mithril_need_python)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c
                          "import sysconfig; print(sysconfig.get_path('include'))"
                  OUTPUT_VARIABLE mithril_python_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${mithril_python_include}/Python.h")
    mithril_add_missing("the headers of Python" python3-dev)
  endif()
endmacro()

# Finds the libraries and headers that Mithril uses.
macro(mithril_require_libraries)
  mithril_need(libfmt-dev fmt/core.h fmt 9)
  mithril_need(nlohmann-json3-dev nlohmann/json.hpp nlohmann_json 3.11)
  mithril_need(zlib1g-dev zlib.h ZLIB 1.2.9)
  mithril_need(libutf8proc-dev utf8proc.h Utf8proc 2.5)
  mithril_need_headers(MITHRIL_HIGHWAY Highway hwy/highway.h libhwy-dev)
  mithril_need_headers(MITHRIL_PROTOZERO protozero protozero/pbf_reader.hpp libprotozero-dev)
  if(SKBUILD)
    mithril_need_python()
    mithril_need_headers(MITHRIL_CLI11_INCLUDE_DIR CLI11 CLI/CLI.hpp libcli11-dev)
  endif()
  if(mithril_missing)
    list(JOIN mithril_missing ", " mithril_missing)
    list(JOIN mithril_missing_packages " " mithril_missing_packages)
    message(FATAL_ERROR "Mithril did not find ${mithril_missing}. On Debian:\n"
                        "  apt-get install --no-install-recommends ${mithril_missing_packages}\n")
  endif()
endmacro()

# Called before project(), which would refuse without a word about the rest.
function(mithril_require_compiler)
  if(CMAKE_CXX_COMPILER OR CMAKE_TOOLCHAIN_FILE OR NOT CMAKE_HOST_UNIX)
    return()
  endif()
  # pip's builds set CXX to the compiler of Python, which need not be there.
  separate_arguments(given UNIX_COMMAND "$ENV{CXX}")
  list(POP_FRONT given named)
  find_program(mithril_compiler NAMES ${named} c++ g++ clang++ icpx NO_CACHE)
  if(NOT mithril_compiler)
    mithril_add_missing("a C++20 compiler" g++)
    mithril_require_libraries()
  endif()
endfunction()
