# Those left out are false alarms of g++ 12 inside std::string at -O2 (GCC bugs 105329, 105651).
set(ETUDE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
    -Wno-stringop-overread)
if(ETUDE_WERROR)
  list(APPEND ETUDE_WARNINGS -Werror)
endif()

# etude_flags(TARGET [PLAIN] [BUSY]): PLAIN is linked with the sanitizers, not compiled with them; BUSY, what computes
# much, is optimised a little under them.
function(etude_flags target)
  cmake_parse_arguments(ARG "PLAIN;BUSY" "" "" ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${ETUDE_WARNINGS} -fno-fast-math -ffp-contract=off)
  if(ETUDE_SANITIZE AND ARG_BUSY)
    target_compile_options(${target} PRIVATE -O1 -Wno-maybe-uninitialized)  # which std::regex seems to be
  endif()
  if(ETUDE_SANITIZE AND NOT ARG_PLAIN)
    # Null and misaligned accesses trap by themselves; checking each of them doubles the time to compile JSON.
    target_compile_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize=null,alignment,vptr,object-size,nonnull-attribute -fno-sanitize-recover=undefined)
  endif()
  if(ETUDE_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE})
  endif()
  if(ETUDE_SANITIZE MATCHES address)
    # Their tables are 46 MB of pointers: to relocate them takes each of the thousands of processes of the tests 50 ms.
    target_compile_options(${target} PRIVATE -fno-pie)
    target_link_options(${target} PRIVATE -no-pie)
  endif()
endfunction()

# etude_pch(NAME [PLAIN] [BUSY] HEADERS ...): a precompiled header with what everybody includes and these headers.
function(etude_pch name)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  etude_flags(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()

etude_pch(etude_pch_anchor)
if(ETUDE_SANITIZE)
  etude_pch(etude_pch_busy BUSY)
endif()

# Presets for whole builds compile several files of a folder as one (CMAKE_UNITY_BUILD), which takes a third of the time;
# `dev` compiles each by itself, which shows missing includes.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# etude_configure(TARGET [PLAIN] [BUSY] [PCH name]): our flags, and the precompiled header to reuse, made with the same.
function(etude_configure target)
  cmake_parse_arguments(ARG "BUSY" "PCH" "" ${ARGN})
  set(pch etude_pch_anchor)
  if(ARG_BUSY)
    list(APPEND ARG_UNPARSED_ARGUMENTS BUSY)
    if(ETUDE_SANITIZE)
      set(pch etude_pch_busy)
    endif()
  endif()
  if(ARG_PCH)
    set(pch ${ARG_PCH})
  endif()
  etude_flags(${target} ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

# etude_room(FOLDER [BUSY] [PCH name] [LINK ...]): the static library of one room, named after its folder (apps/server:
# apps_server) and linked with the rooms that cmake/rooms.txt allows it, and with LINK.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt ETUDE_ROOMS REGEX "^[a-z]")

function(etude_room folder)
  cmake_parse_arguments(ARG "BUSY" "PCH" "LINK" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(NOT sources)
    set(sources ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  endif()
  add_library(${name} STATIC ${sources})
  set(options)
  if(ARG_BUSY)
    list(APPEND options BUSY)
  endif()
  if(ARG_PCH)
    list(APPEND options PCH ${ARG_PCH})
  endif()
  etude_configure(${name} ${options})
  foreach(line ${ETUDE_ROOMS})
    if(line MATCHES "^${folder}:(.*)$")
      string(REPLACE "/" "_" rooms "${CMAKE_MATCH_1}")
      separate_arguments(rooms)
      list(REMOVE_ITEM rooms executors_supervisor)  # its sources that others need are compiled into `executors`
      target_link_libraries(${name} PUBLIC ${rooms} ${ARG_LINK})
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "cmake/rooms.txt does not name the room ${folder}")
endfunction()

# etude_all(NAME ROOM ...): links every one of these rooms.
function(etude_all name)
  add_library(${name} INTERFACE)
  string(REPLACE "/" "_" rooms "${ARGN}")
  target_link_libraries(${name} INTERFACE ${rooms})
endfunction()
