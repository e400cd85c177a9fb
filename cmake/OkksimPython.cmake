# SPDX-License-Identifier: Apache-2.0
# The Python that the package `okksim` is built for, where its packages are there: okksim_has_python.
set(OKKSIM_PYTHON AUTO CACHE STRING "Build the Python package: ON, OFF, or AUTO (where python3-dev and pybind11-dev are there)")
set(okksim_has_python OFF)
if(NOT OKKSIM_PYTHON STREQUAL "OFF")
    if(EXISTS /usr/bin/python3 AND NOT DEFINED Python3_EXECUTABLE)
        # The distribution's, whose NumPy and pybind11 these are, whatever else the path names.
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
# The build tree has the package where an installation has it, as seen from the library, so that the
# module finds that from either place.
set(okksim_python_path ${PROJECT_BINARY_DIR}/sim/library/${okksim_python_place})
