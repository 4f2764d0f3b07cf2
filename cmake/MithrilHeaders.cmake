# Which headers are installed: those that a user includes, and what these include in turn.
function(mithril_headers_of result)
  set(waiting ${ARGN})
  set(found "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found "${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" lines
         REGEX "^#include \"(mithril|backends|codegen)/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.+)\"" "\\1" include "${line}")
      list(APPEND waiting "${include}")
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Installs the headers of a component that an earlier one does not install.
function(mithril_install_headers component)
  foreach(header IN LISTS ARGN)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${MITHRIL_INCLUDE_DIR}/${folder}"
            COMPONENT ${component})
  endforeach()
endfunction()
