# SPDX-License-Identifier: Apache-2.0
# Precompiled headers of other people's libraries. Headers of okksim are never among them, so that a
# change of one rebuilds what includes it and nothing else. Every file still includes what it uses:
# OKKSIM_PCH=OFF builds without this file.
option(OKKSIM_PCH "Precompile the headers of the standard library, fmt, JSON and Catch2" ON)

set(okksim_standard_headers
    <algorithm> <array> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstring> <deque> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream> <string> <string_view>
    <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# okksim_precompiled(name HEADER...): a target that others take their precompiled headers from.
function(okksim_precompiled name)
    if(NOT OKKSIM_PCH)
        return()
    endif()
    set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but the precompiled headers.\n")
    add_library(${name} OBJECT ${source})
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# okksim_use_precompiled(target name): `target` is compiled with the headers of `name`. A source with
# separate options that change these headers does not use them: okksim_harden_sources() excludes it.
function(okksim_use_precompiled target name)
    if(OKKSIM_PCH)
        target_precompile_headers(${target} REUSE_FROM ${name})
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "EXECUTABLE")
            # The headers are compiled with -fPIC, and programs would be with -fPIE.
            set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
            target_compile_options(${target} PRIVATE -fPIC)
        endif()
    endif()
endfunction()

if(OKKSIM_PCH)
    # fmt's package defines it for what links with fmt; precompiled headers need it everywhere.
    add_compile_definitions(FMT_SHARED)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 forgets that precompiled headers are the system's, and reports false findings in them.
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds> $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
            $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overread>)
    endif()
endif()
okksim_precompiled(okksim_pch ${okksim_standard_headers})
# GCC instantiates templates of precompiled JSON headers again in each object, 0.8 CPU-seconds each. They help
# only where several sources are one object and most of them use JSON.
okksim_precompiled(okksim_pch_json ${okksim_standard_headers} <nlohmann/json.hpp>)
okksim_precompiled(okksim_pch_guarded ${okksim_standard_headers})
if(TARGET okksim_pch_guarded)
    okksim_harden(okksim_pch_guarded)
endif()
