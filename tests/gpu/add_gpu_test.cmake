# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests of the CUDA module. Each is built for the emulation of tests/emulator, where there is a C++
# compiler, and in a build with CUDA for devices (label gpu; skipped where there is none).
set(TRAWL_GPU_BACKENDS "")
if(TARGET trawl-emulated)
  list(APPEND TRAWL_GPU_BACKENDS emulated)
endif()
if(TRAWL_HAVE_CUDA)
  list(APPEND TRAWL_GPU_BACKENDS device)
endif()
add_custom_target(trawl-gpu-tests) # all programs with the label gpu

# The library that a test is linked to.
set(TRAWL_GPU_LIBRARY_emulated trawl-emulated)
set(TRAWL_GPU_LIBRARY_device trawl-static)

# trawl_gpu_test_support(source...): what all those tests share; .cu files are allowed.
function(trawl_gpu_test_support)
  foreach(backend ${TRAWL_GPU_BACKENDS})
    set(sources "")
    foreach(source ${ARGN})
      if(backend STREQUAL "emulated" AND source MATCHES "\\.cu$")
        # The same file cannot be C++ here and CUDA for the other library.
        set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${source}.cpp")
        file(CONFIGURE OUTPUT "${wrapper}"
             CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
        set(source "${wrapper}")
      endif()
      list(APPEND sources "${source}")
    endforeach()
    set(library trawl-gpu-test-support-${backend})
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PUBLIC trawl-test-support ${TRAWL_GPU_LIBRARY_${backend}})
    if(backend STREQUAL "device")
      target_link_libraries(${library} PRIVATE CUDA::cudart_static)
    endif()
  endforeach()
endfunction()

# trawl_add_gpu_test(NAME [LABELS label...] [TIMEOUT seconds] [COST seconds]
#                    [SHORT_CASES n FULL_COST seconds] [LINK_OPTIONS option...]
#                    [ENVIRONMENT variable=value...] [ONLY emulated|device])
#
# Builds NAME.c and registers it as NAME_emulated (LABELS, COST) and NAME (label gpu). With
# SHORT_CASES, NAME_emulated is the short form (tests/support/effort.h) with so many random cases, and
# everything is run as NAME_emulated_full. Exit status 77 means skipped.
function(trawl_add_gpu_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;COST;SHORT_CASES;FULL_COST;ONLY"
                        "LABELS;LINK_OPTIONS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900) # under AddressSanitizer the emulation is slow
  endif()
  foreach(backend ${TRAWL_GPU_BACKENDS})
    if(ARG_ONLY AND NOT ARG_ONLY STREQUAL backend)
      continue()
    endif()
    set(program ${name})
    if(backend STREQUAL "emulated")
      set(program ${name}_emulated)
    else()
      add_dependencies(trawl-gpu-tests ${program})
    endif()
    add_executable(${program} ${name}.c)
    target_link_libraries(${program} PRIVATE trawl-gpu-test-support-${backend})
    target_link_options(${program} PRIVATE ${ARG_LINK_OPTIONS})
    set(common PROGRAM ${program} TIMEOUT ${ARG_TIMEOUT})
    if(backend STREQUAL "device")
      trawl_register_test(${program} ${common} LABELS gpu ENVIRONMENT ${ARG_ENVIRONMENT})
    elseif(ARG_SHORT_CASES)
      trawl_register_test(${program} ${common} COST ${ARG_COST} LABELS ${ARG_LABELS}
        ENVIRONMENT ${ARG_ENVIRONMENT} TRAWL_TEST_EFFORT=short TRAWL_TEST_CASES=${ARG_SHORT_CASES})
      trawl_register_test(${program}_full ${common} COST ${ARG_FULL_COST}
        LABELS ${ARG_LABELS} full ENVIRONMENT ${ARG_ENVIRONMENT})
    else()
      trawl_register_test(${program} ${common} COST ${ARG_COST} LABELS ${ARG_LABELS}
        ENVIRONMENT ${ARG_ENVIRONMENT})
    endif()
  endforeach()
endfunction()
