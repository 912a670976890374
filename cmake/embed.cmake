# etude_embed(TARGET FOLDER [NAME [FILE …]]): compiles every file of FOLDER, or only these, into TARGET. The generated header
# embedded/<NAME>.h (default: the folder's last name) declares `std::string_view embedded::<name>(std::string_view file)`,
# which returns the file's bytes, and `embedded::<name>_files()`, their sorted names (paths below FOLDER).
function(etude_embed target folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_SOURCE_DIR}/${folder}/*)
  if(ARGC GREATER 3)
    set(files ${ARGN})
    list(POP_FRONT files)
  endif()
  # What running them leaves.
  list(FILTER files EXCLUDE REGEX "__pycache__/|-ara/|\\.pyc$")
  get_filename_component(name ${folder} NAME)
  if(ARGC GREATER 2)
    set(name ${ARGV2})
  endif()
  set(out ${CMAKE_BINARY_DIR}/embedded)
  set(absolute)
  foreach(f ${files})
    list(APPEND absolute ${CMAKE_SOURCE_DIR}/${folder}/${f})
  endforeach()
  add_custom_command(
    OUTPUT ${out}/embedded/${name}.h ${out}/${name}.cc
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFOLDER=${CMAKE_SOURCE_DIR}/${folder} "-DFILES=${files}" -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${absolute} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/${name}.cc ${out}/embedded/${name}.h)
  set_source_files_properties(${out}/${name}.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${target} PRIVATE ${out})
endfunction()
