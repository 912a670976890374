# The disabled warnings are false alarms of g++ 12 inside std::string at -O2 (GCC bugs 105329, 105651).
set(ETUDE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
    -Wno-stringop-overread)
if(ETUDE_WERROR)
  list(APPEND ETUDE_WARNINGS -Werror)
endif()

# etude_flags(TARGET [PLAIN] [BUSY]): sets the compiler's flags. In a build with sanitizers the options mean:
#   PLAIN: the target is linked with the sanitizers, but not checked by them.
#   BUSY:  the target computes much, and is compiled with -O1. The check for use after scope is off, because at -O1 it
#          makes compiling 50 % slower; the fuzz targets have it on.
function(etude_flags target)
  cmake_parse_arguments(ARG "PLAIN;BUSY" "" "" ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${ETUDE_WARNINGS} -fno-fast-math -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # From 128 MB on, which the precompiled header nearly takes, the compiler looks for unused memory again and again. From 1 GB
    # on, it needs up to 250 MB more, and up to a sixth less time.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1000000)
  endif()
  if(ETUDE_SANITIZE AND ARG_PLAIN)
    # The linker may use a template's instance from this target for the whole program, so it must be optimised.
    target_compile_options(${target} PRIVATE -O1 -Wno-maybe-uninitialized)
  elseif(ETUDE_SANITIZE)
    # Null and misaligned accesses trap without a check, and checking them doubles the time to compile JSON. Checks of
    # pointer arithmetic need 40 MB of tables, which every process would register when it starts.
    target_compile_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize=null,alignment,vptr,object-size,nonnull-attribute,pointer-overflow -fno-sanitize-recover=undefined
      -Wno-maybe-uninitialized)  # a false alarm in std::regex
    if(ARG_BUSY AND ETUDE_SANITIZE MATCHES address AND NOT ETUDE_FUZZ)
      target_compile_options(${target} PRIVATE -O1 -fno-sanitize-address-use-after-scope)
    endif()
  endif()
  if(ETUDE_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${ETUDE_SANITIZE})
  endif()
  if(ETUDE_SANITIZE MATCHES address)
    # The sanitizer's tables are pointers, which a position-independent program would relocate at every start.
    target_compile_options(${target} PRIVATE -fno-pie)
    target_link_options(${target} PRIVATE -no-pie)
  endif()
endfunction()

# etude_pch(NAME [PLAIN] [BUSY] HEADERS ...): a precompiled header of the headers used everywhere and HEADERS.
function(etude_pch name)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  etude_flags(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <nlohmann/json.hpp>
    ${CMAKE_SOURCE_DIR}/cmake/json_instances.h ${ARG_HEADERS})
endfunction()

etude_pch(etude_pch_anchor)
if(ETUDE_SANITIZE)
  etude_pch(etude_pch_busy BUSY)
endif()
# The instances that cmake/json_instances.h declares.
add_library(json_instances STATIC ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
etude_flags(json_instances)
target_compile_options(json_instances PRIVATE -DETUDE_INSTANCE=template -include ${CMAKE_SOURCE_DIR}/cmake/json_instances.h)

# Presets for whole builds compile several files of a folder as one (CMAKE_UNITY_BUILD), which takes a third of the time.
# The preset `dev` compiles each file alone, which shows missing includes.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# etude_configure(TARGET [PLAIN] [BUSY] [PCH name]): sets etude_flags, and reuses the precompiled header made with these flags.
function(etude_configure target)
  cmake_parse_arguments(ARG "BUSY" "PCH" "" ${ARGN})
  if(ARG_BUSY)
    list(APPEND ARG_UNPARSED_ARGUMENTS BUSY)
  endif()
  if(ARG_BUSY AND ETUDE_SANITIZE)
    set(ARG_PCH etude_pch_busy)
  elseif(NOT ARG_PCH)
    set(ARG_PCH etude_pch_anchor)
  endif()
  etude_flags(${target} ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${target} REUSE_FROM ${ARG_PCH})
  target_link_libraries(${target} PUBLIC json_instances)
endfunction()

# etude_rooms(OF FOLDER [EXCEPT ROOM ...] [BUSY] [PCH name] [LINK ...]): a static library for FOLDER and for every room
# below it, named after its folder (apps/server/api: apps_server_api) and linked with the rooms that cmake/rooms.txt allows
# it, and with LINK. FOLDER's name (apps_server) links them all.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/rooms.txt ETUDE_ROOMS REGEX "^[a-z]")

function(etude_rooms)
  cmake_parse_arguments(ARG "BUSY" "OF;PCH" "EXCEPT;LINK" ${ARGN})
  set(options)
  if(ARG_BUSY)
    list(APPEND options BUSY)
  endif()
  if(ARG_PCH)
    list(APPEND options PCH ${ARG_PCH})
  endif()
  set(all)
  foreach(line ${ETUDE_ROOMS})
    if(NOT line MATCHES "^((${ARG_OF})(/[a-z_/]+)?):(.*)$")
      continue()
    endif()
    set(folder ${CMAKE_MATCH_1})
    string(REPLACE "/" "_" uses "${CMAKE_MATCH_4}")
    if(folder IN_LIST ARG_EXCEPT)
      continue()
    endif()
    string(REPLACE "/" "_" name ${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
    if(NOT sources)
      set(sources ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
    endif()
    add_library(${name} STATIC ${sources})
    etude_configure(${name} ${options})
    if(folder MATCHES "^apps/")
      target_compile_definitions(${name} PRIVATE ETUDE_VERSION="${PROJECT_VERSION}")
    endif()
    separate_arguments(uses)
    target_link_libraries(${name} PUBLIC ${uses} ${ARG_LINK})
    list(APPEND all ${name})
  endforeach()
  string(REPLACE "/" "_" name ${ARG_OF})
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${all})
  endif()
endfunction()
