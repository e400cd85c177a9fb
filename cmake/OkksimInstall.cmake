# SPDX-License-Identifier: Apache-2.0
# Installs the files that a user's project needs: headers, library, program, CMake package,
# pkg-config file.
include(CMakePackageConfigHelpers)
set(okksim_header_dir ${CMAKE_INSTALL_INCLUDEDIR}/okksim)
set(okksim_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/okksim)

install(FILES firmware/okk.h firmware/okk_access.h firmware/okk_custom.h firmware/okk_features.h firmware/okk_types.h firmware/bm_atomic.h firmware/host/bmlib_runtime.h firmware/host/okk_param.h
        DESTINATION ${okksim_header_dir})
# The chip as a SystemC component; headers keep their paths below the include folder.
foreach(header
        models/common/parameter.h models/common/parameter_field.h models/common/section.h models/common/units.h
        models/dram/bandwidth_params.def models/dram/channel_count.h models/dram/dram_law.h
        models/dram/dram_params.def models/dram/dram_params.h models/dram/dram_timing.h
        models/host/host_registers.h sim/component/npu.h)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${okksim_header_dir}/${folder})
endforeach()
target_include_directories(okksim_library INTERFACE $<INSTALL_INTERFACE:${okksim_header_dir}>)
set_target_properties(okksim_library PROPERTIES EXPORT_NAME okksim)
set_target_properties(okksim_graphs_library PROPERTIES EXPORT_NAME okksim_graphs)
set_target_properties(okksim_study_library PROPERTIES EXPORT_NAME okksim_study)
# Uses the installed RUNPATH in the build tree too, where a link leads to the library. A RUNPATH
# that CMake changes during installation ends in ':'. The loader reads this empty entry as the
# working folder.
set_target_properties(okksim PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
get_filename_component(okksim_link_dir ${PROJECT_BINARY_DIR}/sim/${CMAKE_INSTALL_LIBDIR} DIRECTORY)
file(MAKE_DIRECTORY ${okksim_link_dir})
file(CREATE_LINK ${PROJECT_BINARY_DIR}/sim/library ${PROJECT_BINARY_DIR}/sim/${CMAKE_INSTALL_LIBDIR}
     SYMBOLIC)
set_target_properties(okksim_component PROPERTIES EXPORT_NAME component)
install(TARGETS okksim_component EXPORT okksim-targets)
install(TARGETS okksim_library okksim_graphs_library okksim_study_library EXPORT okksim-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# libbmlib.so is the name that makefiles of the vendor's kit link; programs load the versioned name.
foreach(name libbmlib.so libbmlib.so.${PROJECT_VERSION_MAJOR})
    install(FILES $<TARGET_FILE_DIR:okksim_library>/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
# Programs find the library without LD_LIBRARY_PATH if it is in a folder that the loader knows.
install(CODE "
    if(\"\$ENV{DESTDIR}\" STREQUAL \"\")
        execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(user STREQUAL \"0\")
            execute_process(COMMAND ldconfig)
        endif()
    endif()")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/okksim RENAME copyright)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/okksim/examples USE_SOURCE_PERMISSIONS
        PATTERN CMakeLists.txt EXCLUDE PATTERN run.sh EXCLUDE PATTERN run_networks.sh EXCLUDE)
install(FILES sim/debugger/okksim-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/okksim)
install(TARGETS okksim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/sim/cli/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/sim/cli/okksim.bash RENAME okksim
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/sim/cli/_okksim
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(EXPORT okksim-targets NAMESPACE okksim:: DESTINATION ${okksim_package_dir})

configure_package_config_file(cmake/okksim-config.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/okksim-config.cmake INSTALL_DESTINATION ${okksim_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/okksim-config-version.cmake
    COMPATIBILITY SameMajorVersion)
configure_file(cmake/okksim.pc.in ${CMAKE_CURRENT_BINARY_DIR}/okksim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/okksim-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/okksim-config-version.cmake
        DESTINATION ${okksim_package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/okksim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
