# SPDX-License-Identifier: Apache-2.0
# Libraries from the distribution. Each gets one interface target; users name only those.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "okksim builds on Linux only, and this is ${CMAKE_SYSTEM_NAME}: it uses Linux's signals, memory protection and process files.")
endif()

# okksim_need(PACKAGE DEBIAN_PACKAGE [VERSION]): looks for a CMake package and remembers what is missing.
set(okksim_missing)
macro(okksim_need package debian_package)
    find_package(${package} ${ARGN} QUIET)
    if(NOT ${package}_FOUND)
        list(APPEND okksim_missing ${debian_package})
    endif()
endmacro()
# okksim_need_module(PREFIX MODULE DEBIAN_PACKAGE): the same with pkg-config; the target is PkgConfig::PREFIX.
macro(okksim_need_module prefix module debian_package)
    if(PkgConfig_FOUND)
        pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
    endif()
    if(NOT ${prefix}_FOUND)
        list(APPEND okksim_missing ${debian_package})
    endif()
endmacro()

find_package(Threads REQUIRED)
okksim_need(Boost libboost-dev 1.74)
okksim_need(fmt libfmt-dev)
okksim_need(spdlog libspdlog-dev)
okksim_need(nlohmann_json nlohmann-json3-dev)
okksim_need(CLI11 libcli11-dev)
okksim_need(tomlplusplus libtomlplusplus-dev)
okksim_need(Protobuf libprotobuf-dev)
okksim_need(PkgConfig pkg-config)
okksim_need_module(HWY libhwy libhwy-dev)
okksim_need_module(LZMA liblzma liblzma-dev)
okksim_need_module(SQLITE sqlite3 libsqlite3-dev)
okksim_need_module(MUPARSER muparser libmuparser-dev)
find_package(SystemCLanguage QUIET)
find_library(OKKSIM_SYSTEMC_LIBRARY systemc)
if(NOT TARGET SystemC::systemc AND NOT OKKSIM_SYSTEMC_LIBRARY)
    list(APPEND okksim_missing libsystemc-dev)
endif()
find_program(OKKSIM_FLATC flatc)
if(NOT OKKSIM_FLATC)
    list(APPEND okksim_missing flatbuffers-compiler)
endif()
if(okksim_missing)
    list(JOIN okksim_missing " " okksim_missing)
    message(FATAL_ERROR "okksim needs Debian packages that are not installed: ${okksim_missing}. `make setup` installs them; elsewhere install what provides the same libraries.")
endif()

# Zydis decodes host instructions. firmware/watch/loaded_value.h follows uninitialised values that kernels
# load through pointers; only this feature is missing without Zydis.
find_library(OKKSIM_ZYDIS_LIBRARY Zydis)
find_path(OKKSIM_ZYDIS_HEADERS Zydis/Zydis.h)
if(OKKSIM_ZYDIS_LIBRARY AND OKKSIM_ZYDIS_HEADERS)
    add_library(okksim_zydis INTERFACE)
    target_link_libraries(okksim_zydis INTERFACE ${OKKSIM_ZYDIS_LIBRARY})
    target_include_directories(okksim_zydis SYSTEM INTERFACE ${OKKSIM_ZYDIS_HEADERS})
    target_compile_definitions(okksim_zydis INTERFACE OKKSIM_ZYDIS)
endif()

# Pictures as inputs (sim/images). Only this feature is missing without these libraries.
find_package(JPEG QUIET)
find_package(PNG QUIET)

# Debian's libsystemc is built as C++17 and checks the language version at link time; the interfaces
# used here are the same in C++20.
add_library(okksim_systemc INTERFACE)
target_compile_definitions(okksim_systemc INTERFACE SC_DISABLE_API_VERSION_CHECK
                                                    SC_INCLUDE_DYNAMIC_PROCESSES)
if(TARGET SystemC::systemc)
    target_link_libraries(okksim_systemc INTERFACE SystemC::systemc)
else()
    target_link_libraries(okksim_systemc INTERFACE ${OKKSIM_SYSTEMC_LIBRARY})
endif()
# Must come after the library that refers to it, or the linker may skip it.
add_library(okksim_sc_main STATIC ${PROJECT_SOURCE_DIR}/sim/platform/sc_main.cpp)
target_link_libraries(okksim_systemc INTERFACE okksim_sc_main)
