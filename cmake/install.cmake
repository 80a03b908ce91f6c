# What `make install` puts where: both libraries, the headers, the CMake package (find_package(talus))
# and talus.pc for pkg-config. Both descriptions find their files from their own place, so that a tree
# installed with another --prefix, or moved later, still works.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/talus)

install(TARGETS talus_shared talus_static EXPORT talus-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/talus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# The plugin lies beside the library, which looks for it there.
if(TARGET talus_cuda)
  install(TARGETS talus_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(EXPORT talus-targets NAMESPACE talus:: DESTINATION ${package_dir})

configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/talus-config-version.cmake DESTINATION ${package_dir})

set(pc_private "-lpthread -ldl -lm")
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_up}")
configure_file(cmake/talus.pc.in talus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
