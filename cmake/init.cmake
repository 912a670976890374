# etude_init(TARGET): compiles the init of sandboxes, a program without libraries, and embeds its bytes in TARGET.
function(etude_init target)
  add_executable(etude-init ${CMAKE_SOURCE_DIR}/executors/init/start.cc ${CMAKE_SOURCE_DIR}/executors/supervisor/init.cc
                            ${CMAKE_SOURCE_DIR}/executors/supervisor/call_filter.cc)
  set_target_properties(etude-init PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/embedded UNITY_BUILD OFF
                                              INTERPROCEDURAL_OPTIMIZATION OFF)
  target_include_directories(etude-init PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(etude-init PRIVATE -Os ${ETUDE_WARNINGS} -ffreestanding -fno-exceptions -fno-rtti -fno-pie
    -fno-stack-protector -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE)
  target_link_options(etude-init PRIVATE -nostdlib -static -no-pie -s -Wl,--build-id=none -Wl,-z,norelro
    -Wl,-z,noexecstack -Wl,-z,noseparate-code)
  add_dependencies(${target} etude-init)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/executors/supervisor/launch.cc PROPERTIES
    COMPILE_DEFINITIONS ETUDE_INIT_PROGRAM="${CMAKE_BINARY_DIR}/embedded/etude-init"
    OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/embedded/etude-init SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
