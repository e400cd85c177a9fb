# SPDX-License-Identifier: Apache-2.0
# Libraries from the distribution. Each gets one interface target; users name only those.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(Protobuf REQUIRED)
find_package(SystemCLanguage QUIET)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(MUPARSER REQUIRED IMPORTED_TARGET muparser)

# The host's instructions, for what becomes of undefined values that kernels load by themselves
# (firmware/watch/loaded_value.h); nothing else is missing without it.
find_library(OKKSIM_ZYDIS_LIBRARY Zydis)
find_path(OKKSIM_ZYDIS_HEADERS Zydis/Zydis.h)
if(OKKSIM_ZYDIS_LIBRARY AND OKKSIM_ZYDIS_HEADERS)
    add_library(okksim_zydis INTERFACE)
    target_link_libraries(okksim_zydis INTERFACE ${OKKSIM_ZYDIS_LIBRARY})
    target_include_directories(okksim_zydis SYSTEM INTERFACE ${OKKSIM_ZYDIS_HEADERS})
    target_compile_definitions(okksim_zydis INTERFACE OKKSIM_ZYDIS)
endif()

# Debian's libsystemc is built as C++17 and checks the language version at link time; the interfaces
# used here are the same in C++20.
add_library(okksim_systemc INTERFACE)
target_compile_definitions(okksim_systemc INTERFACE SC_DISABLE_API_VERSION_CHECK
                                                    SC_INCLUDE_DYNAMIC_PROCESSES)
if(TARGET SystemC::systemc)
    target_link_libraries(okksim_systemc INTERFACE SystemC::systemc)
else()
    find_library(OKKSIM_SYSTEMC_LIBRARY systemc REQUIRED)
    target_link_libraries(okksim_systemc INTERFACE ${OKKSIM_SYSTEMC_LIBRARY})
endif()
# Behind the library that asks for it, or else the linker may have passed it by.
add_library(okksim_sc_main STATIC ${PROJECT_SOURCE_DIR}/sim/platform/sc_main.cpp)
target_link_libraries(okksim_systemc INTERFACE okksim_sc_main)
