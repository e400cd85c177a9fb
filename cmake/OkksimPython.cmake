# SPDX-License-Identifier: Apache-2.0
# okksim_has_python: true if the Python package `okksim` can be built for the distribution's Python.
set(OKKSIM_PYTHON AUTO CACHE STRING "Build the Python package: ON, OFF, or AUTO (where python3-dev and pybind11-dev are there)")
set(okksim_has_python OFF)
if(NOT OKKSIM_PYTHON STREQUAL "OFF")
    if(EXISTS /usr/bin/python3 AND NOT DEFINED Python3_EXECUTABLE)
        # Selects the distribution's Python, which has NumPy and pybind11, even if PATH names
        # another one.
        set(Python3_EXECUTABLE /usr/bin/python3)
    endif()
    find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
    if(Python3_FOUND)
        find_package(pybind11 CONFIG QUIET)
    endif()
    if(Python3_FOUND AND pybind11_FOUND)
        set(okksim_has_python ON)
    elseif(OKKSIM_PYTHON STREQUAL "AUTO")
        message(STATUS "No Python package: python3-dev and pybind11-dev are not both there")
    else()
        message(FATAL_ERROR "python3-dev and pybind11-dev are not both there (OKKSIM_PYTHON=${OKKSIM_PYTHON})")
    endif()
endif()
set(okksim_python_place python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
# The path from library to package is the same in the build tree and in an installation, so the
# module finds the library in both.
set(okksim_python_path ${PROJECT_BINARY_DIR}/sim/library/${okksim_python_place})
