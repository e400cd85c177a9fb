# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
# -O2 in both optimised builds: the hot loops are explicit SIMD, and -O3 only costs build time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
find_program(OKKSIM_CCACHE ccache)
if(OKKSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Another checkout of the same sources finds the same objects: paths are relative to the checkout. The
    # sloppiness is what ccache asks for with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${OKKSIM_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Products are rounded before they are added unless an instruction's definition says otherwise, so
# the compiler must never contract them into fused operations.
add_compile_options(-ffp-contract=off -fno-math-errno -Wall -Wextra)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess> $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic> $<$<COMPILE_LANGUAGE:CXX>:-Werror=switch>)
if(OKKSIM_WERROR)
    add_compile_options(-Werror)
endif()

# A library calls its own functions without a table of addresses, so that programs start faster.
add_link_options(-Wl,-Bsymbolic-functions)
# Tables of addresses are filled when a program starts and are read-only from then on.
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# okksim_harden(target): for code that reads foreign files. Overwritten return addresses and
# overflows of buffers end the program. The simulated chip's own loops see only checked commands and
# go without.
set(OKKSIM_GUARDS -fstack-protector-strong -fstack-clash-protection
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
function(okksim_harden name)
    target_compile_options(${name} PRIVATE ${OKKSIM_GUARDS})
endfunction()

# okksim_harden_sources(FILE...): hardens the file readers of this folder; the fast sources stay as
# they were.
function(okksim_harden_sources)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${OKKSIM_GUARDS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# okksim_join_sources(): unity build of the targets of this folder and below.
macro(okksim_join_sources)
    if(OKKSIM_UNITY)
        set(CMAKE_UNITY_BUILD ON)
        set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
        # In a unity build, GCC warns about types of a source's anonymous namespace, because that
        # source is not the main file. It also reports false frees of non-heap objects.
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>
            $<$<COMPILE_LANGUAGE:CXX>:-Wno-free-nonheap-object>)
    endif()
endmacro()

# okksim_compile_cold(target): -O1 for reports, commands and tests. They take little of the run time, and -O1
# saves a sixth of their compile time.
function(okksim_compile_cold target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# okksim_add_library(name SOURCES ... PUBLIC ... PRIVATE ...): one static library per folder, with
# the repository root as include directory. GUARDED: okksim_harden() for all of it.
# COLD: okksim_compile_cold() for all of it.
function(okksim_add_library name)
    cmake_parse_arguments(ARG "GUARDED;COLD" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
    target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
    if(ARG_COLD)
        okksim_compile_cold(${name})
    endif()
    if(ARG_GUARDED)
        okksim_harden(${name})
        okksim_use_precompiled(${name} okksim_pch_guarded)
    elseif(CMAKE_UNITY_BUILD AND nlohmann_json::nlohmann_json IN_LIST ARG_PRIVATE)
        okksim_use_precompiled(${name} okksim_pch_json)
    else()
        okksim_use_precompiled(${name} okksim_pch)
    endif()
endfunction()

# okksim_merge_into(target PART...): the objects of static libraries become part of a shared library or program.
function(okksim_merge_into target)
    foreach(part IN LISTS ARGN)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
    endforeach()
endfunction()
