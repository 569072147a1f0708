# The target zinc-alone: the program zinc with archives of all libraries but glibc's. It shares the objects of Zinc's
# libraries. Debian has no archives of fmt, spdlog and toml++, so their functions come from their headers.

get_target_property(sources zinc-program SOURCES)
add_executable(zinc-alone EXCLUDE_FROM_ALL ${sources})
set_target_properties(zinc-alone PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD_MODE GROUP)
target_compile_features(zinc-alone PRIVATE cxx_std_20)
target_include_directories(zinc-alone PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
foreach(name IN LISTS zinc_all)
  target_sources(zinc-alone PRIVATE $<TARGET_OBJECTS:zinc-${name}>)
endforeach()
target_link_options(zinc-alone PRIVATE -static-libstdc++ -static-libgcc)
target_compile_definitions(zinc-alone PRIVATE FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL)
target_link_libraries(zinc-alone PRIVATE Boost::headers CLI11::CLI11 Threads::Threads
  -l:libboost_json.a -l:libboost_container.a -l:libsodium.a -l:libsqlite3.a -l:libssl.a -l:libcrypto.a
)
