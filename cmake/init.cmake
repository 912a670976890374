# etude_freestanding(TARGET SOURCES ...): a program without libraries, which starts at `start` (executors/init/entry.cc).
function(etude_freestanding target)
  add_executable(${target} ${CMAKE_SOURCE_DIR}/executors/init/entry.cc ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF INTERPROCEDURAL_OPTIMIZATION OFF)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Os ${ETUDE_WARNINGS} -ffreestanding -fno-exceptions -fno-rtti -fno-pie
    -fno-stack-protector -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE)
  target_link_options(${target} PRIVATE -nostdlib -static -no-pie -s -Wl,--build-id=none -Wl,-z,norelro
    -Wl,-z,noexecstack -Wl,-z,noseparate-code)
endfunction()

# etude_init(TARGET): compiles the init of sandboxes and embeds its bytes in TARGET.
function(etude_init target)
  etude_freestanding(etude-init ${CMAKE_SOURCE_DIR}/executors/init/start.cc
                     ${CMAKE_SOURCE_DIR}/executors/confinement/init.cc
                     ${CMAKE_SOURCE_DIR}/executors/confinement/call_filter.cc)
  set_target_properties(etude-init PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/embedded)
  add_dependencies(${target} etude-init)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/executors/supervisor/launch.cc PROPERTIES
    COMPILE_DEFINITIONS ETUDE_INIT_PROGRAM="${CMAKE_BINARY_DIR}/embedded/etude-init"
    OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/embedded/etude-init SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
