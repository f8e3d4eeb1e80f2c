# SPDX-License-Identifier: MIT OR Apache-2.0
# What `make install` puts where. Everything is relative to the prefix, so that an installed tree
# can be moved and a DESTDIR tree can be used in place.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/trawl")

install(DIRECTORY include/trawl TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(TARGETS trawl-shared EXPORT trawl-shared-targets)
install(TARGETS trawl-static EXPORT trawl-static-targets)
install(TARGETS trawl)
if(TRAWL_HAVE_MPI)
    install(TARGETS trawl-mpi OPTIONAL) # `make mpi` builds it
endif()

file(GLOB manual_pages CONFIGURE_DEPENDS "docs/man/*.1")
install(FILES ${manual_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES docs/man/libtrawl.3 DESTINATION "${CMAKE_INSTALL_MANDIR}/man3")
install(FILES LICENSE-MIT LICENSE-APACHE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES completions/trawl.bash RENAME trawl
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")

# CMake: find_package(trawl), then trawl::trawl or trawl::trawl-static.
foreach(kind shared static)
    install(EXPORT trawl-${kind}-targets NAMESPACE trawl:: DESTINATION "${package_dir}")
endforeach()
configure_package_config_file(cmake/trawl-config.cmake.in trawl-config.cmake
                              INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(trawl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/trawl-config.cmake"
              "${PROJECT_BINARY_DIR}/trawl-config-version.cmake" DESTINATION "${package_dir}")

# pkg-config: `--libs trawl`, and with `--static` what the static library needs besides.
file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_private_libraries "-lxxhash ${CMAKE_THREAD_LIBS_INIT} -lm")
if(TRAWL_HAVE_CUDA)
    string(APPEND pc_private_libraries
           " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lstdc++")
endif()
configure_file(cmake/trawl.pc.in trawl.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/trawl.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
