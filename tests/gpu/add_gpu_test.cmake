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

# trawl_add_gpu_test(NAME [LABELS label...] [TIMEOUT seconds] [SHARDS n] [LINK_OPTIONS option...]
#                    [ENVIRONMENT variable=value...] [ONLY emulated|device])
#
# Builds NAME.c and registers it as NAME_emulated and NAME. LABELS are the emulated test's (quick),
# the other one's is gpu. Exit status 77 means skipped. SHARDS as in trawl_add_test.
function(trawl_add_gpu_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;SHARDS;ONLY" "LABELS;LINK_OPTIONS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900) # under AddressSanitizer the emulation is slow
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  foreach(backend ${TRAWL_GPU_BACKENDS})
    if(ARG_ONLY AND NOT ARG_ONLY STREQUAL backend)
      continue()
    endif()
    set(program ${name})
    set(labels gpu)
    if(backend STREQUAL "emulated")
      set(program ${name}_emulated)
      set(labels ${ARG_LABELS})
    else()
      add_dependencies(trawl-gpu-tests ${program})
    endif()
    add_executable(${program} ${name}.c)
    target_link_libraries(${program} PRIVATE trawl-gpu-test-support-${backend})
    target_link_options(${program} PRIVATE ${ARG_LINK_OPTIONS})
    set(tests ${program})
    if(ARG_SHARDS)
      set(tests "")
      foreach(shard RANGE 1 ${ARG_SHARDS})
        list(APPEND tests ${program}_${shard})
      endforeach()
    endif()
    set(shard 0)
    foreach(test ${tests})
      math(EXPR shard "${shard} + 1")
      set(environment ${TRAWL_TEST_ENVIRONMENT} ${ARG_ENVIRONMENT})
      if(ARG_SHARDS)
        list(APPEND environment TRAWL_TEST_SHARD=${shard}/${ARG_SHARDS})
      endif()
      add_test(NAME ${test} COMMAND ${program})
      set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT ${ARG_TIMEOUT}
        SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
    endforeach()
  endforeach()
endfunction()
