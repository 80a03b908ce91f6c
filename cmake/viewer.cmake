# The viewer: the page of viewer/, built by npm and embedded, and the server that shows it
# (apps/talus/view), as the library talus_view. Where libwebsockets or npm is missing, or npm cannot
# fetch what the page is made of, TALUS_VIEWER_MISSING says so and the command is built without.
#
# -DTALUS_VIEWER=OFF leaves it out. -DTALUS_VIEWER_DIST=FOLDER embeds the files of a folder (for example
# build/viewer/dist of another build) instead of building the page: no npm is needed then.
option(TALUS_VIEWER "Build the viewer (needs libwebsockets, and npm for the page)" ON)
set(TALUS_VIEWER_DIST "" CACHE PATH "A page that is built already, to embed instead of viewer/")
set(TALUS_VIEWER_MISSING "")
set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)

# Fetches the packages of the page, once for each package-lock.json. Sets viewer_packages.
function(talus_viewer_packages)
  file(SHA256 ${viewer_source}/package-lock.json lock)
  set(stamp ${viewer_build}/packages-${lock})
  if(NOT EXISTS ${stamp})
    message(STATUS "talus: npm fetches the packages of the viewer's page")
    file(MAKE_DIRECTORY ${viewer_build})
    file(COPY ${viewer_source}/package.json ${viewer_source}/package-lock.json DESTINATION ${viewer_build})
    execute_process(COMMAND ${TALUS_NPM} ci --no-audit --no-fund --no-progress
                    WORKING_DIRECTORY ${viewer_build} RESULT_VARIABLE failed OUTPUT_VARIABLE said
                    ERROR_VARIABLE said TIMEOUT 300)
    file(WRITE ${viewer_build}/npm.log "${said}")
    if(NOT failed STREQUAL "0")
      return()
    endif()
    file(TOUCH ${stamp})
  endif()
  set(viewer_packages ON PARENT_SCOPE)
endfunction()

if(NOT TALUS_VIEWER)
  set(TALUS_VIEWER_MISSING "it was left out with -DTALUS_VIEWER=OFF")
else()
  pkg_check_modules(websockets QUIET IMPORTED_TARGET GLOBAL libwebsockets>=4.1)
  find_program(TALUS_NPM npm)
  find_program(TALUS_GZIP gzip)
  mark_as_advanced(TALUS_NPM TALUS_GZIP)
  if(NOT websockets_FOUND)
    set(TALUS_VIEWER_MISSING "libwebsockets (4.1 or later) was not there when it was built")
  elseif(NOT TALUS_VIEWER_DIST)
    if(NOT TALUS_NPM)
      set(TALUS_VIEWER_MISSING "npm was not there when it was built")
    elseif(NOT EXISTS ${viewer_source}/package-lock.json)
      set(TALUS_VIEWER_MISSING "the sources of its page were not there when it was built")
    else()
      talus_viewer_packages()
      if(NOT viewer_packages)
        set(TALUS_VIEWER_MISSING "npm could not fetch the packages of its page when it was built")
        set(viewer_hint " (${viewer_build}/npm.log)")
      endif()
    endif()
  endif()
endif()

if(TALUS_VIEWER_MISSING)
  message(STATUS "talus: no viewer: ${TALUS_VIEWER_MISSING}${viewer_hint}")
else()
  set(embedded ${viewer_build}/assets.c)
  if(TALUS_VIEWER_DIST)
    file(GLOB_RECURSE page CONFIGURE_DEPENDS ${TALUS_VIEWER_DIST}/*)
    set(dist ${TALUS_VIEWER_DIST})
    set(build_page)
  else()
    file(GLOB_RECURSE page CONFIGURE_DEPENDS ${viewer_source}/src/* ${viewer_source}/public/*)
    file(GLOB page_top CONFIGURE_DEPENDS ${viewer_source}/*.js ${viewer_source}/*.html ${viewer_source}/*.json)
    list(APPEND page ${page_top})
    set(dist ${viewer_build}/dist)
    set(build_page COMMAND ${CMAKE_COMMAND} -DFROM=${viewer_source} -DTO=${viewer_build}
                           -P ${PROJECT_SOURCE_DIR}/cmake/viewer_copy.cmake
                   COMMAND ${CMAKE_COMMAND} -E chdir ${viewer_build} ${TALUS_NPM} run build --silent)
  endif()
  add_custom_command(OUTPUT ${embedded} ${build_page}
    COMMAND ${CMAKE_COMMAND} -DDIST=${dist} -DOUT=${embedded} -DPACKED=${viewer_build}/packed
            -DGZIP=${TALUS_GZIP} -P ${PROJECT_SOURCE_DIR}/cmake/viewer_embed.cmake
    DEPENDS ${page} ${PROJECT_SOURCE_DIR}/cmake/viewer_embed.cmake
            ${PROJECT_SOURCE_DIR}/cmake/viewer_copy.cmake
    COMMENT "Building the viewer's page" VERBATIM)
  file(GLOB view_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/talus/view/*.c)
  add_library(talus_view STATIC ${view_sources} ${embedded})
  target_include_directories(talus_view PUBLIC ${PROJECT_SOURCE_DIR}/apps/talus/view)
  target_link_libraries(talus_view PUBLIC talus_io_static PkgConfig::jansson PkgConfig::websockets
                        Threads::Threads m)
endif()
