# etude_library(FOLDER [UNIT n] LINK ...): one static library per folder, named after it (apps/session: session); n of its
# files are compiled as one.

# Those left out are false alarms of g++ 12 inside std::string at -O2 (GCC bugs 105329, 105651).
set(ETUDE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
    -Wno-stringop-overread)
if(ETUDE_WERROR)
  list(APPEND ETUDE_WARNINGS -Werror)
endif()

# etude_flags(TARGET [PLAIN]): PLAIN is linked with the sanitizers, not compiled with them.
function(etude_flags target)
  cmake_parse_arguments(ARG "PLAIN" "" "" ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${ETUDE_WARNINGS} -fno-fast-math -ffp-contract=off)
  if(ETUDE_SANITIZE AND NOT ARG_PLAIN)
    # Null and misaligned accesses trap by themselves; checking each of them doubles the time to compile JSON.
    target_compile_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize=null,alignment,vptr,object-size,nonnull-attribute -fno-sanitize-recover=undefined)
  endif()
  if(ETUDE_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE})
  endif()
endfunction()

# etude_pch(NAME [PLAIN] HEADERS ...): a precompiled header with what everybody includes and these headers.
function(etude_pch name)
  cmake_parse_arguments(ARG "PLAIN" "" "HEADERS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  if(ARG_PLAIN)
    etude_flags(${name} PLAIN)
  else()
    etude_flags(${name})
  endif()
  target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()

etude_pch(etude_pch_anchor)

# Presets for whole builds compile several files of a folder as one (CMAKE_UNITY_BUILD), which takes a third of the time;
# `dev` compiles each by itself, which shows missing includes.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# etude_configure(TARGET [PCH] [PLAIN]): our flags, and the precompiled header to reuse.
function(etude_configure target)
  cmake_parse_arguments(ARG "PLAIN" "" "" ${ARGN})
  if(ARG_PLAIN)
    etude_flags(${target} PLAIN)
  else()
    etude_flags(${target})
  endif()
  set(pch etude_pch_anchor)
  if(ARG_UNPARSED_ARGUMENTS)
    set(pch ${ARG_UNPARSED_ARGUMENTS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

function(etude_library folder)
  cmake_parse_arguments(ARG "" "UNIT" "LINK" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc ${CMAKE_SOURCE_DIR}/${folder}/builtin/*.cc)
  if(NOT sources)
    set(sources ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  endif()
  add_library(${name} STATIC ${sources})
  etude_configure(${name})
  if(ARG_UNIT)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_UNIT})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
