# SPDX-License-Identifier: MIT OR Apache-2.0
# Toolchain: 64-bit Arm, compiled on a machine of another kind and run there with qemu-user. All of it
# is from Debian (tools/install.sh arm); libraries beyond the C library lie in a folder
# that tools/arm_libraries.sh fills.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# C++ serves the tests of CUDA's code on the CPU, which have nothing to do with the CPU's kind.
set(CMAKE_CXX_COMPILER "")

set(arm_root /usr/aarch64-linux-gnu)
set(TRAWL_ARM_LIBRARIES "${CMAKE_CURRENT_LIST_DIR}/../build/arm-libraries" CACHE PATH
    "Libraries for 64-bit Arm: the folder given to tools/arm_libraries.sh")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRAWL_ARM_LIBRARIES)
get_filename_component(arm_libraries "${TRAWL_ARM_LIBRARIES}" ABSOLUTE)

set(CMAKE_FIND_ROOT_PATH "${arm_libraries}" "${arm_root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${arm_libraries}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${arm_libraries}")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${arm_root}")
