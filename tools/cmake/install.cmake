# Installs the libraries, their headers, the files of find_package(zinc) and those of pkg-config.

include(CMakePackageConfigHelpers)
set(zinc_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/zinc)
set(zinc_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zinc)

foreach(name IN LISTS zinc_built)
  install(TARGETS zinc-${name} EXPORT zinc
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${zinc_include_dir}
  )

  list(TRANSFORM zinc_needs_${name} PREPEND zinc- OUTPUT_VARIABLE zinc_modules)
  list(JOIN zinc_modules " " zinc_modules)
  set(zinc_private_modules "${zinc_private_modules_${name}}")
  set(zinc_private_libraries "${zinc_private_libraries_${name}}")
  configure_file(tools/cmake/component.pc.in zinc-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/zinc-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(EXPORT zinc NAMESPACE zinc:: FILE zincTargets.cmake DESTINATION ${zinc_cmake_dir})
configure_package_config_file(tools/cmake/zincConfig.cmake.in zincConfig.cmake INSTALL_DESTINATION ${zinc_cmake_dir})
write_basic_package_version_file(zincConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zincConfig.cmake ${PROJECT_BINARY_DIR}/zincConfigVersion.cmake
  DESTINATION ${zinc_cmake_dir}
)
