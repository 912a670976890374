# etude_lazy(NAME LIBRARY FUNCTIONS [CLASS ...]): a static library lazy_NAME whose functions load the shared library LIBRARY
# at their first call (cmake/lazy.py). FUNCTIONS: a pattern of symbols. Elsewhere than on x86_64 and aarch64 it is LIBRARY.
function(etude_lazy name library functions)
  find_library(ETUDE_LAZY_${name} ${library} REQUIRED)
  set(path ${ETUDE_LAZY_${name}})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|aarch64|arm64)$")
    add_library(lazy_${name} INTERFACE)
    target_link_libraries(lazy_${name} INTERFACE ${path})
    return()
  endif()
  set(out ${CMAKE_BINARY_DIR}/lazy_${name}.cc)
  add_custom_command(OUTPUT ${out} COMMAND python3 ${CMAKE_SOURCE_DIR}/cmake/lazy.py ${path} ${functions} ${out} ${ARGN}
                     DEPENDS ${CMAKE_SOURCE_DIR}/cmake/lazy.py ${path} VERBATIM)
  add_library(lazy_${name} STATIC ${out})
  target_link_libraries(lazy_${name} PUBLIC ${CMAKE_DL_LIBS})
endfunction()
