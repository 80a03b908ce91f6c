# cmake -DFROM=viewer -DTO=build/viewer -P viewer_copy.cmake
# Copies the sources of the page to where it is built, so that nothing is written into the source
# folder. Files that are gone from the sources go from the copy, too.
file(REMOVE_RECURSE ${TO}/src ${TO}/public)
file(GLOB files ${FROM}/*.js ${FROM}/*.html ${FROM}/*.json)
file(COPY ${files} DESTINATION ${TO})
foreach(folder src public)
  if(EXISTS ${FROM}/${folder})
    file(COPY ${FROM}/${folder} DESTINATION ${TO})
  endif()
endforeach()
