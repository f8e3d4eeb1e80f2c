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
set(TRAWL_CPU_SET_CASES 2500)
if(TRAWL_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(TRAWL_CPU_SET_CASES 500)
endif()

# trawl_register_test(NAME PROGRAM LABELS... TIMEOUT COST ENVIRONMENT...): one entry of CTest's list.
function(trawl_register_test name)
  cmake_parse_arguments(ARG "" "PROGRAM;TIMEOUT;COST" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_COST)
    set(ARG_COST 1)
  endif()
  if(CMAKE_CROSSCOMPILING) # on an emulated processor
    math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
    list(APPEND ARG_ENVIRONMENT TRAWL_TEST_EFFORT=short)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_PROGRAM})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    COST ${ARG_COST} SKIP_RETURN_CODE 77
    ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# trawl_add_test(NAME [LABELS label...] [TIMEOUT seconds] [COST seconds] [FULL_COST seconds]
#                [LINK_OPTIONS option...] [SHARDS n] [EACH_CPU_SET [SETS_IN_CHECK set...] [SET_CASES n]])
#
# Builds NAME.c and registers it. COST is what it takes on one CPU of an optimised build. With
# FULL_COST, NAME is the short form (tests/support/effort.h), and everything is run as NAME_full.
# With SHARDS, the same program is run n times, each on its own part of the random cases
# (TRAWL_TEST_SHARD="i/n"). With EACH_CPU_SET, it is run once more as NAME_SET for each instruction
# set, and skipped where it would be no other test than the plain one (its main begins with
# cpu_set_apply); these have the label full, those named by SETS_IN_CHECK check, in their short form.
# SET_CASES is their number of random cases, for a test whose cases are large; a fifth of it where
# tests are slow.
function(trawl_add_test name)
  cmake_parse_arguments(ARG "EACH_CPU_SET" "TIMEOUT;COST;FULL_COST;SHARDS;SET_CASES" "LABELS;LINK_OPTIONS;SETS_IN_CHECK"
                        ${ARGN})
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE trawl-test-support trawl-static)
  if(ARG_LINK_OPTIONS)
    target_link_options(${name} PRIVATE ${ARG_LINK_OPTIONS})
  endif()
  set(common PROGRAM ${name} TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SHARDS)
    foreach(shard RANGE 1 ${ARG_SHARDS})
      trawl_register_test(${name}_${shard} ${common} COST ${ARG_COST} LABELS ${ARG_LABELS}
                          ENVIRONMENT TRAWL_TEST_SHARD=${shard}/${ARG_SHARDS})
    endforeach()
  elseif(ARG_FULL_COST)
    trawl_register_test(${name} ${common} COST ${ARG_COST} LABELS ${ARG_LABELS}
                        ENVIRONMENT TRAWL_TEST_EFFORT=short)
    trawl_register_test(${name}_full ${common} COST ${ARG_FULL_COST} LABELS ${ARG_LABELS} full)
  else()
    trawl_register_test(${name} ${common} COST ${ARG_COST} LABELS ${ARG_LABELS})
  endif()
  if(ARG_EACH_CPU_SET)
    set(cases ${TRAWL_CPU_SET_CASES})
    if(ARG_SET_CASES)
      math(EXPR cases "${ARG_SET_CASES} * ${cases} / 2500")
    endif()
    list(REMOVE_ITEM ARG_LABELS core each-processor)
    foreach(cpu ${TRAWL_CPU_SETS})
      set(labels ${ARG_LABELS} cpu cpu-${cpu})
      set(effort "")
      if(NOT cpu IN_LIST ARG_SETS_IN_CHECK)
        list(APPEND labels full)
      elseif(ARG_FULL_COST)
        set(effort TRAWL_TEST_EFFORT=short)
      endif()
      trawl_register_test(${name}_${cpu} ${common} COST ${ARG_COST}
        LABELS ${labels}
        ENVIRONMENT TRAWL_TEST_CPU=${cpu} TRAWL_TEST_CASES=${cases} ${effort})
    endforeach()
  endif()
endfunction()

# trawl_label_tests(KIND): the last line of each folder's list of tests. Every test gets the label
# KIND; those of `make check` get the label check, all but those with the label full (too long for
# it) or gpu (for a device); and each gets one of the labels slice-1 to slice-8, of which CI runs one
# for a commit. A test goes into the slice whose tests of its kind, check or full, cost least so far.
function(trawl_label_tests kind)
  get_property(names DIRECTORY PROPERTY TESTS)
  foreach(name ${names})
    get_test_property(${name} LABELS labels)
    get_test_property(${name} COST cost)
    if(NOT labels)
      set(labels "")
    endif()
    if(NOT cost)
      set(cost 1)
    endif()
    set(extent check)
    if("gpu" IN_LIST labels)
      continue()
    elseif("full" IN_LIST labels)
      set(extent full)
    else()
      list(APPEND labels check)
    endif()
    get_property(loads GLOBAL PROPERTY TRAWL_SLICES_${extent})
    if(NOT loads)
      set(loads 0 0 0 0 0 0 0 0)
    endif()
    set(slice 0)
    set(least -1)
    foreach(number RANGE 7)
      list(GET loads ${number} load)
      if(least EQUAL -1 OR load LESS least)
        set(slice ${number})
        set(least ${load})
      endif()
    endforeach()
    math(EXPR least "${least} + ${cost}")
    list(REMOVE_AT loads ${slice})
    list(INSERT loads ${slice} ${least})
    set_property(GLOBAL PROPERTY TRAWL_SLICES_${extent} "${loads}")
    math(EXPR slice "${slice} + 1")
    set_tests_properties(${name} PROPERTIES LABELS "${labels};${kind};slice-${slice}")
  endforeach()
endfunction()

# Makes the linker hand every call of these functions in the library to the test.
function(wrap_functions list)
  foreach(name ${ARGN})
    list(APPEND options "-Wl,--wrap=${name}")
  endforeach()
  set(${list} ${options} PARENT_SCOPE)
endfunction()
