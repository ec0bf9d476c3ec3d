# The Python that the extension modules are built for and the tests run with: .venv where scripts/bootstrap.sh made one,
# else Debian's; never a shim that happens to come first on PATH.
#
# The package is assembled in build/python/pavage: a link for each entry of frontend/python/pavage, and beside them the
# extension modules that pavage_add_extension makes. build/python is what .venv has on its path.
if(NOT PAVAGE_PYTHON)
  if(Python3_EXECUTABLE)
    set(PAVAGE_PYTHON ${Python3_EXECUTABLE})
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    set(PAVAGE_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  else()
    set(PAVAGE_PYTHON /usr/bin/python3)
  endif()
endif()
set(Python3_EXECUTABLE ${PAVAGE_PYTHON})
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
set(PAVAGE_PYTHON_TREE ${CMAKE_BINARY_DIR}/python/pavage)
add_custom_target(pavage-package COMMENT "tools and Python package")

# pavage_link_python_package(DIR): links the entries of DIR into the assembled package; new ones at the next build.
function(pavage_link_python_package dir)
  file(MAKE_DIRECTORY ${PAVAGE_PYTHON_TREE})
  file(GLOB entries CONFIGURE_DEPENDS ${dir}/*)
  file(GLOB links ${PAVAGE_PYTHON_TREE}/*)
  foreach(link IN LISTS links)
    if(IS_SYMLINK ${link} AND NOT EXISTS ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  foreach(entry IN LISTS entries)
    get_filename_component(name ${entry} NAME)
    if(NOT name STREQUAL "__pycache__")
      file(CREATE_LINK ${entry} ${PAVAGE_PYTHON_TREE}/${name} SYMBOLIC)
    endif()
  endforeach()
endfunction()

# pavage_add_extension(NAME SOURCES ... [LINK targets...]): the extension module pavage.NAME.
function(pavage_add_extension name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  Python3_add_library(${name} MODULE WITH_SOABI ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PAVAGE_PYTHON_TREE}
    BUILD_RPATH "${CMAKE_BINARY_DIR}/lib" INSTALL_RPATH "$ORIGIN")
  add_dependencies(pavage-package ${name})
  install(TARGETS ${name} LIBRARY DESTINATION pavage COMPONENT python)
endfunction()

# pavage_finish_package(TARGETS...): what users get beside the extension modules, by `make demo` and in a wheel. Shared
# libraries lie in the Python package, programs among the scripts of the environment it is installed in.
function(pavage_finish_package)
  foreach(target IN LISTS ARGN)
    add_dependencies(pavage-package ${target})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL SHARED_LIBRARY)
      install(TARGETS ${target} LIBRARY DESTINATION pavage COMPONENT python)
    elseif(DEFINED SKBUILD_SCRIPTS_DIR)
      install(TARGETS ${target} RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
    endif()
  endforeach()
endfunction()
