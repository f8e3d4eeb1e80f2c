# SPDX-License-Identifier: MIT OR Apache-2.0
# trawl-flags: what every target of this project is compiled with. Instruction sets beyond the
# machine's baseline are chosen at run time, so there is no -march here.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
# For CUDA code and the tests that compile it without CUDA.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(trawl-flags INTERFACE)
target_include_directories(trawl-flags INTERFACE "${PROJECT_SOURCE_DIR}/include"
                                                 "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(trawl-flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
set(c_warnings -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes)
target_compile_options(trawl-flags INTERFACE
                       $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra>
                       $<$<COMPILE_LANGUAGE:C>:${c_warnings}>
                       $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # An unroll hint that clang does not follow is no fault of the code.
    target_compile_options(trawl-flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wno-pass-failed>)
endif()
if(TRAWL_WERROR)
    target_compile_options(trawl-flags INTERFACE
                           $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>
                           $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()

if(TRAWL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "TRAWL_FUZZ needs clang (libFuzzer): set CMAKE_C_COMPILER=clang")
    endif()
    # Coverage of all code; fuzz/CMakeLists.txt links each target with -fsanitize=fuzzer.
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TRAWL_SANITIZE)
    add_compile_options(-fsanitize=${TRAWL_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer -g1)
    add_link_options(-fsanitize=${TRAWL_SANITIZE})
endif()
