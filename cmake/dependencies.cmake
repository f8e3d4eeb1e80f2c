# SPDX-License-Identifier: MIT OR Apache-2.0
# Required: threads, xxHash. Optional, each with a TRAWL_HAVE_... definition where it is
# used: zlib, zstd, liblzma (compressed texts).
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# optional_library(<interface target> <NAME> <pkg-config module> <what is lost without it>)
function(optional_library target name module use)
    option(TRAWL_WITH_${name} "Use ${module} when it is found: ${use}" ON)
    if(TRAWL_WITH_${name})
        pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    endif()
    if(TRAWL_WITH_${name} AND ${name}_FOUND)
        target_compile_definitions(${target} INTERFACE TRAWL_HAVE_${name})
        target_link_libraries(${target} INTERFACE PkgConfig::${name})
    else()
        message(STATUS "Without ${module}: no ${use}")
    endif()
endfunction()

add_library(trawl-compression INTERFACE)
optional_library(trawl-compression ZLIB zlib ".gz files")
optional_library(trawl-compression ZSTD libzstd ".zst files")
optional_library(trawl-compression LZMA liblzma ".xz files")

# `trawl bench` loads its peers when it measures them.
add_library(trawl-peers INTERFACE)
target_link_libraries(trawl-peers INTERFACE ${CMAKE_DL_LIBS})

# trawl-mpi. Not under sanitizers, which MPI's own code does not pass.
set(TRAWL_MPI AUTO CACHE STRING "trawl-mpi, for clusters: ON, OFF, or AUTO: where MPI is found")
set(TRAWL_HAVE_MPI OFF)
if(TRAWL_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS C)
    set(TRAWL_HAVE_MPI ON)
elseif(TRAWL_MPI STREQUAL "AUTO" AND NOT TRAWL_SANITIZE AND NOT TRAWL_FUZZ AND
       NOT CMAKE_CROSSCOMPILING)
    find_package(MPI QUIET COMPONENTS C)
    set(TRAWL_HAVE_MPI ${MPI_C_FOUND})
    if(NOT MPI_C_FOUND)
        message(STATUS "Without MPI: no trawl-mpi")
    endif()
endif()
