# etude_page(TARGET): compiles the page into TARGET as embedded/page.h (see embed.cmake). Vite builds apps/web if `npm ci`
# has been run there; otherwise TARGET gets a page that says so.
function(etude_page target)
  find_program(ETUDE_NODE NAMES node nodejs)
  file(GLOB installed CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/web/node_modules/.package-lock.json)
  set(out ${CMAKE_BINARY_DIR}/embedded)
  if(ETUDE_NODE AND installed)
    set(folder ${CMAKE_BINARY_DIR}/page)
    set(files index.html page.js page.css layout.js)
    list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE absolute)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/apps/web/src/* ${CMAKE_SOURCE_DIR}/apps/web/src/*/*
         ${CMAKE_SOURCE_DIR}/apps/web/*.*)
    add_custom_command(
      OUTPUT ${absolute}
      COMMAND ${ETUDE_NODE} node_modules/typescript/bin/tsc --noEmit
      COMMAND ${ETUDE_NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir ${folder}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/apps/web
      DEPENDS ${sources} ${installed} ${CMAKE_SOURCE_DIR}/docs/glossary.md
      COMMENT "Building the page"
      VERBATIM)
  else()
    message(STATUS "apps/web: no node, or no node_modules: built without the page that `etude serve` shows (make page)")
    set(folder ${CMAKE_SOURCE_DIR}/cmake/no_page)
    set(files index.html)
    set(absolute ${folder}/index.html)
  endif()
  add_custom_command(
    OUTPUT ${out}/embedded/page.h ${out}/page.cc
    COMMAND ${CMAKE_COMMAND} -DNAME=page -DFOLDER=${folder} "-DFILES=${files}" -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${absolute} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out}/page.cc ${out}/embedded/page.h)
  set_source_files_properties(${out}/page.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${target} PRIVATE ${out})
endfunction()
