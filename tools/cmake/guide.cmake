# The programs of the ZeroMQ Guide. Their names are too common for bin: `titanic`, `blackbox`. So they have a folder of
# their own, where `zinc interop` finds them.

find_package(CLI11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)

# What they share, with the sources of the program zinc that they need.
add_library(zinc-guide STATIC tools/zinc/pair_report.cc tools/zinc/printable.cc)
set_target_properties(zinc-guide PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD_MODE GROUP)
target_include_directories(zinc-guide PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(zinc-guide PUBLIC zinc-chp zinc-titanic CLI11::CLI11 fmt::fmt spdlog::spdlog)

function(zinc_programs)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    add_executable(zinc-guide-${name} ${file})
    set_target_properties(zinc-guide-${name} PROPERTIES
      OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY guide
      CXX_EXTENSIONS OFF
    )
    target_link_libraries(zinc-guide-${name} PRIVATE zinc-guide)
    install(TARGETS zinc-guide-${name} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/zinc/guide)
  endforeach()
endfunction()
