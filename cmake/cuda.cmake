# SPDX-License-Identifier: MIT OR Apache-2.0
# The CUDA module: built with TRAWL_CUDA=ON, or AUTO where there is a compiler for it. Not by default:
# nvcc takes several times as long as all the rest.
# Afterwards TRAWL_HAVE_CUDA says whether it is, and TRAWL_CUDA_DEFINITIONS, _OPTIONS and _LIBRARIES
# what it is compiled with and linked to.
set(TRAWL_CUDA OFF CACHE STRING "The CUDA module: OFF, ON, or AUTO (where nvcc is found)")
set_property(CACHE TRAWL_CUDA PROPERTY STRINGS ON OFF AUTO)
set(TRAWL_HAVE_CUDA OFF)
foreach(what DEFINITIONS OPTIONS LIBRARIES)
    set(TRAWL_CUDA_${what} "")
endforeach()

set(cuda_missing "")
if(NOT TRAWL_CUDA)
    set(cuda_missing "TRAWL_CUDA=OFF")
elseif(TRAWL_SANITIZE OR TRAWL_FUZZ)
    set(cuda_missing "sanitizers and fuzzers do not go with it")
else()
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
        find_program(TRAWL_NVCC nvcc HINTS "$ENV{CUDA_PATH}/bin" PATHS /usr/local/cuda/bin)
        mark_as_advanced(TRAWL_NVCC)
        if(TRAWL_NVCC)
            set(ENV{CUDACXX} "${TRAWL_NVCC}")
        endif()
    endif()
    include(CheckLanguage)
    check_language(CUDA) # nvcc, and the C++ compiler that it needs
    if(NOT CMAKE_CUDA_COMPILER)
        set(cuda_missing "no working CUDA compiler (nvcc with a C++ compiler)")
    endif()
endif()

if(cuda_missing)
    if(TRAWL_CUDA AND NOT TRAWL_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "TRAWL_CUDA=${TRAWL_CUDA}: ${cuda_missing}")
    endif()
    message(STATUS "Without the CUDA module: ${cuda_missing}")
    return()
endif()

# Machine code for Hopper; for everything else from Turing on what the driver compiles when it loads.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(TRAWL_HAVE_CUDA ON)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

# Of CUDA's C++ libraries only what becomes kernels: no exceptions, no annotations for profilers,
# nothing that keeps a shared library from being unloaded, and not the <iostream> that CUB includes,
# whose mere inclusion links all of C++'s streams: the macro is that header's own include guard.
set(TRAWL_CUDA_DEFINITIONS CCCL_DISABLE_EXCEPTIONS CCCL_DISABLE_NVTX NVTX_DISABLE _GLIBCXX_IOSTREAM)
set(TRAWL_CUDA_OPTIONS -Xcompiler=-fno-exceptions,-fno-rtti,-fno-gnu-unique)
# Linked statically, so that the library runs where there is no CUDA, and where there is no C++
# either: of its library only the guards of static variables are used.
set(TRAWL_CUDA_LIBRARIES CUDA::cudart_static "-Wl,--push-state,-Bstatic,-lstdc++,--pop-state")
