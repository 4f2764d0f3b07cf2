# Finds utf8proc, whose packages have no configuration for CMake in common: the target Utf8proc::utf8proc.
find_path(Utf8proc_INCLUDE_DIR utf8proc.h DOC "The folder that holds utf8proc's header")
find_library(Utf8proc_LIBRARY NAMES utf8proc DOC "The library utf8proc")
if(Utf8proc_INCLUDE_DIR AND EXISTS "${Utf8proc_INCLUDE_DIR}/utf8proc.h")
  file(STRINGS "${Utf8proc_INCLUDE_DIR}/utf8proc.h" utf8proc_version
       REGEX "^#define UTF8PROC_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "#define UTF8PROC_VERSION_[A-Z]+ " "" Utf8proc_VERSION "${utf8proc_version}")
  string(REPLACE ";" "." Utf8proc_VERSION "${Utf8proc_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Utf8proc REQUIRED_VARS Utf8proc_LIBRARY Utf8proc_INCLUDE_DIR
                                  VERSION_VAR Utf8proc_VERSION)
mark_as_advanced(Utf8proc_INCLUDE_DIR Utf8proc_LIBRARY)
if(Utf8proc_FOUND AND NOT TARGET Utf8proc::utf8proc)
  file(REAL_PATH "${Utf8proc_LIBRARY}" utf8proc_location)
  if(utf8proc_location MATCHES "\\.so(\\.|$)|\\.dylib$")
    add_library(Utf8proc::utf8proc SHARED IMPORTED)
    # Programs load the library by the shortest of its names with a version, which is installed, too.
    cmake_path(GET utf8proc_location PARENT_PATH utf8proc_folder)
    file(GLOB utf8proc_names LIST_DIRECTORIES OFF RELATIVE "${utf8proc_folder}"
         "${utf8proc_folder}/libutf8proc.so.[0-9]*" "${utf8proc_folder}/libutf8proc.[0-9]*.dylib")
    foreach(utf8proc_name IN LISTS utf8proc_names)
      file(REAL_PATH "${utf8proc_folder}/${utf8proc_name}" utf8proc_named)
      if(utf8proc_named STREQUAL utf8proc_location)
        set_target_properties(Utf8proc::utf8proc PROPERTIES IMPORTED_SONAME "${utf8proc_name}")
        break()
      endif()
    endforeach()
  else()
    add_library(Utf8proc::utf8proc STATIC IMPORTED)
    set_target_properties(Utf8proc::utf8proc PROPERTIES INTERFACE_COMPILE_DEFINITIONS UTF8PROC_STATIC)
  endif()
  set_target_properties(Utf8proc::utf8proc PROPERTIES
                        IMPORTED_LOCATION "${utf8proc_location}"
                        INTERFACE_INCLUDE_DIRECTORIES "${Utf8proc_INCLUDE_DIR}")
endif()
