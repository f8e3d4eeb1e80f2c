# SPDX-License-Identifier: MIT OR Apache-2.0
# How a test is built and registered.

# The instruction sets of this family of processors, as TRAWL_CPU names them, and the number of
# random cases for each.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(TRAWL_CPU_SETS scalar avx2 avx512 avx512-vbmi)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TRAWL_CPU_SETS scalar neon)
else()
  set(TRAWL_CPU_SETS scalar)
endif()
set(TRAWL_CPU_SET_CASES 10000)
if(TRAWL_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(TRAWL_CPU_SET_CASES 1000)
endif()

# trawl_add_test(NAME [LABELS label...] [TIMEOUT seconds] [LINK_OPTIONS option...] [SHARDS n]
#                [EACH_CPU_SET])
#
# Builds NAME.c and registers it. With SHARDS, the same program is run n times at once, each on its
# own part of the random cases (TRAWL_TEST_SHARD="i/n"). With EACH_CPU_SET, it is run once more as
# NAME_SET for each instruction set, and skipped where it would be no other test than the plain one
# (its main begins with cpu_set_apply).
function(trawl_add_test name)
  cmake_parse_arguments(ARG "EACH_CPU_SET" "TIMEOUT;SHARDS" "LABELS;LINK_OPTIONS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING) # on an emulated processor
    math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE trawl-test-support trawl-static)
  if(ARG_LINK_OPTIONS)
    target_link_options(${name} PRIVATE ${ARG_LINK_OPTIONS})
  endif()
  if(ARG_SHARDS)
    foreach(shard RANGE 1 ${ARG_SHARDS})
      add_test(NAME ${name}_${shard} COMMAND ${name})
      set_tests_properties(${name}_${shard} PROPERTIES LABELS "${ARG_LABELS}"
        TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${TRAWL_TEST_ENVIRONMENT};TRAWL_TEST_SHARD=${shard}/${ARG_SHARDS}")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT "${TRAWL_TEST_ENVIRONMENT}")
  endif()
  if(ARG_EACH_CPU_SET)
    foreach(cpu ${TRAWL_CPU_SETS})
      add_test(NAME ${name}_${cpu} COMMAND ${name})
      set_tests_properties(${name}_${cpu} PROPERTIES LABELS "${ARG_LABELS};cpu"
        TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 ENVIRONMENT
        "${TRAWL_TEST_ENVIRONMENT};TRAWL_TEST_CPU=${cpu};TRAWL_TEST_CASES=${TRAWL_CPU_SET_CASES}")
    endforeach()
  endif()
endfunction()

# Makes the linker hand every call of these functions in the library to the test.
function(wrap_functions list)
  foreach(name ${ARGN})
    list(APPEND options "-Wl,--wrap=${name}")
  endforeach()
  set(${list} ${options} PARENT_SCOPE)
endfunction()
