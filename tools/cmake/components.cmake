# The libraries, without their files, and what each needs.

include(GNUInstallDirs)
find_package(Boost 1.81 CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# The order of linking: each needs only those before it.
set(zinc_all zmtp storage mdp titanic bstar chp)
set(zinc_needs_mdp zmtp)
set(zinc_needs_storage zmtp)
set(zinc_needs_titanic mdp storage)
set(zinc_needs_bstar zmtp)
set(zinc_needs_chp bstar storage)

# Those that are built.
set(zinc_built)
set(todo ${ZINC_COMPONENTS})
while(todo)
  list(POP_FRONT todo name)
  if(NOT name IN_LIST zinc_all)
    message(FATAL_ERROR "ZINC_COMPONENTS: ${name} is none of ${zinc_all}")
  endif()
  list(APPEND zinc_built ${name})
  list(APPEND todo ${zinc_needs_${name}})
endwhile()
list(REMOVE_DUPLICATES zinc_built)

foreach(name IN LISTS zinc_all)
  if(NOT name IN_LIST zinc_built)
    continue()
  endif()
  add_library(zinc-${name})
  add_library(zinc::${name} ALIAS zinc-${name})
  set_target_properties(zinc-${name} PROPERTIES
    EXPORT_NAME ${name}
    # No source looks at NAME_EXPORTS. Without it, ccache knows the sources of shared libraries from static ones.
    DEFINE_SYMBOL ""
    CXX_EXTENSIONS OFF
    UNITY_BUILD_MODE GROUP
    VERSION ${PROJECT_VERSION}
    # Until 1.0 each minor version may break the interface.
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  )
  target_compile_features(zinc-${name} PUBLIC cxx_std_20)
  target_link_libraries(zinc-${name} PUBLIC Boost::headers Threads::Threads)
  foreach(needed IN LISTS zinc_needs_${name})
    target_link_libraries(zinc-${name} PUBLIC zinc-${needed})
  endforeach()
endforeach()

# What the sources need, and not the headers. The pkg-config files name it too.
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)
target_link_libraries(zinc-zmtp PRIVATE PkgConfig::libsodium)
set(zinc_private_modules_zmtp libsodium)
if(ZINC_TLS)
  pkg_check_modules(openssl REQUIRED IMPORTED_TARGET openssl)
  target_link_libraries(zinc-zmtp PRIVATE PkgConfig::openssl)
  string(APPEND zinc_private_modules_zmtp " openssl")
endif()
if(TARGET zinc-storage)
  find_package(SQLite3 REQUIRED)
  target_link_libraries(zinc-storage PRIVATE SQLite::SQLite3)
  set(zinc_private_modules_storage sqlite3)
endif()
if(TARGET zinc-titanic)
  target_link_libraries(zinc-titanic PRIVATE SQLite::SQLite3)
  set(zinc_private_modules_titanic sqlite3)
endif()
if(TARGET zinc-chp)
  find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)
  target_link_libraries(zinc-chp PRIVATE Boost::json)
  set(zinc_private_libraries_chp "-lboost_json")
endif()

# What stands in for TLS, or TLS.
if(ZINC_TLS)
  set(zinc_sources_left_out "/no_tls[.]cc$")
else()
  set(zinc_sources_left_out "^zmtp/transport/(tls_|certificate_name)")
endif()

# zinc_sources(COMPONENT TARGET FILE...): the sources of a target of Bazel. They are one source with CMAKE_UNITY_BUILD.
function(zinc_sources component group)
  list(FILTER ARGN EXCLUDE REGEX "${zinc_sources_left_out}")
  if(TARGET zinc-${component})
    target_sources(zinc-${component} PRIVATE ${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# zinc_headers(COMPONENT FILE...): the headers that are installed. Users include them as "zmtp/zmtp.h".
function(zinc_headers component)
  if(TARGET zinc-${component})
    target_sources(zinc-${component} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARGN})
  endif()
endfunction()

# zinc_programs(FILE...): the programs of the ZeroMQ Guide, each of one source. guide.cmake has another one.
function(zinc_programs)
endfunction()
