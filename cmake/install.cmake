# What `make install` puts where: the libraries, the headers, the command with its manual page and its
# completion, talus-bench, the CMake package (find_package(talus)), and talus.pc and talus_io.pc for
# pkg-config. Both descriptions find their files from their own place, so that a tree installed with
# another --prefix, or moved later, still works.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
set(libraries talus_shared talus_static)
set(packages talus)
set(without PATTERN io.h EXCLUDE)
if(TARGET talus_io_shared)
  list(APPEND libraries talus_io_shared talus_io_static)
  list(APPEND packages talus_io)
  set(without)
endif()

install(TARGETS ${libraries} EXPORT talus-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/talus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        ${without})
# Libraries and programs find each other, and the plugin, from their own place.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
if(TARGET talus_io_shared)
  set_target_properties(talus_io_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
# The plugin lies beside the library, which looks for it there.
if(TARGET talus_cuda)
  install(TARGETS talus_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# The programs. talus-bench is made after this file is read.
function(talus_install_programs)
  foreach(program talus talus-bench talus-render-mpi)
    if(TARGET ${program})
      set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
      install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL talus_install_programs)
if(TARGET talus)
  install(FILES docs/talus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES tools/completion/talus.bash RENAME talus
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

install(EXPORT talus-targets NAMESPACE talus:: DESTINATION ${package_dir})
configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/talus-config-version.cmake DESTINATION ${package_dir})

set(pc_private "-lpthread -ldl -lm")
list(JOIN hdf5_LDFLAGS " " pc_hdf5)
list(JOIN assimp_LDFLAGS " " pc_assimp)
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_up}")
foreach(package IN LISTS packages)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
