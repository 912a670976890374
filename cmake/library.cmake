# etude_library(FOLDER LINK ...): one static library per folder, named after it (apps/session: session).

set(ETUDE_WARNINGS -Wall -Wextra -Wshadow -Wconversion)
if(ETUDE_WERROR)
  list(APPEND ETUDE_WARNINGS -Werror)
endif()

add_library(etude_pch_anchor OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)

function(etude_flags target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${ETUDE_WARNINGS} -fno-fast-math -ffp-contract=off)
  if(ETUDE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE})
  endif()
endfunction()

etude_flags(etude_pch_anchor)
target_precompile_headers(etude_pch_anchor PRIVATE <algorithm> <chrono> <cstdint> <filesystem> <functional> <map>
  <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <nlohmann/json.hpp>)

function(etude_configure target)
  etude_flags(${target})
  target_precompile_headers(${target} REUSE_FROM etude_pch_anchor)
endfunction()

function(etude_library folder)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc ${CMAKE_SOURCE_DIR}/${folder}/builtin/*.cc)
  if(NOT sources)
    set(sources ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  endif()
  add_library(${name} STATIC ${sources})
  etude_configure(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
