# The program zinc. Its sources are those of the component `program` in files.cmake.

find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)
find_package(CLI11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)

set(ZINC_COMMIT "" CACHE STRING "commit that zinc --version prints behind the version")
file(CONFIGURE OUTPUT generated/tools/zinc/commit.h CONTENT "#pragma once
namespace zinc {
inline constexpr const char* commit = \"${ZINC_COMMIT}\";
}
")

set(page ${PROJECT_SOURCE_DIR}/tools/zinc/http)
add_custom_command(
  OUTPUT page_files.cc
  COMMAND sh ${page}/write_page_literals ${page} > page_files.cc
  DEPENDS ${page}/write_page_literals ${page}/page.css ${page}/page.html ${page}/page.js ${page}/plots.js
    ${page}/tables.js ${page}/peers.js ${page}/operator.js
  VERBATIM
)

add_executable(zinc-program ${PROJECT_BINARY_DIR}/page_files.cc)
set_target_properties(zinc-program PROPERTIES
  OUTPUT_NAME zinc
  CXX_EXTENSIONS OFF
  UNITY_BUILD_MODE GROUP
)
target_include_directories(zinc-program PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(zinc-program PRIVATE zinc-chp zinc-titanic Boost::json CLI11::CLI11 fmt::fmt spdlog::spdlog
  tomlplusplus::tomlplusplus
)
install(TARGETS zinc-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
