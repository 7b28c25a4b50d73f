# `cmake --install`: the program, the library, and what other build systems and shells need to find them.
include(CMakePackageConfigHelpers)

install(TARGETS ravel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/bin/ravel-cc ${CMAKE_BINARY_DIR}/bin/ravel-c++
  DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ravel_runtime EXPORT ravel-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES cmake/gcc.specs DESTINATION ${CMAKE_INSTALL_LIBDIR}/ravel)
install(TARGETS ravel-model RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/ravel)
# Beside lib/ also in the build directory: `ravel cc` finds ravel.h from there.
configure_file(include/ravel.h ${CMAKE_BINARY_DIR}/include/ravel.h COPYONLY)
install(FILES include/ravel.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_file(cmake/ravel.pc.in ravel.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/ravel)
configure_package_config_file(cmake/ravel-config.cmake.in ravel-config.cmake
  INSTALL_DESTINATION ${package_directory} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(ravel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ravel-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ravel-config-version.cmake DESTINATION ${package_directory})
install(FILES cmake/ravel-tests.cmake cmake/ravel-discover.cmake DESTINATION ${package_directory})
install(EXPORT ravel-targets NAMESPACE ravel:: DESTINATION ${package_directory})

file(GLOB manual_pages CONFIGURE_DEPENDS man/*.1)
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/ravel.bash RENAME ravel
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
