# Tests: gtest, lit and pytest, each as ctest entries whose label is the folder under tests/.
#
# Every entry leaves build/test-results/<entry>.xml (JUnit). scripts/run_tests.py runs ctest and sums them up; an entry
# without its file counts as a failure, so a test that dies is never mistaken for one that had nothing to do.
if(NOT PAVAGE_TESTS)
  return()
endif()
enable_testing()
find_package(GTest 1.12 REQUIRED)
set(PAVAGE_TEST_RESULTS ${CMAKE_BINARY_DIR}/test-results)
file(MAKE_DIRECTORY ${PAVAGE_TEST_RESULTS})
add_custom_target(pavage-runtime-tests COMMENT "unit tests without MLIR")

# pavage_add_unit_test(NAME SOURCES a.cpp ... [LINK targets...] [MLIR])
#
# Unit tests of one room, named after it: NAME = RuntimeErrors for tests/unit/runtime/Errors. Without MLIR they are a
# small executable of their own. With MLIR they join the one executable PavageMlirTests, because each static link of
# MLIR costs seconds and 50 MB.
function(pavage_add_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_MLIR)
    add_executable(${name}Tests ${ARG_SOURCES})
    target_include_directories(${name}Tests PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    target_link_libraries(${name}Tests PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
    pavage_register_gtest(${name}Tests)
    set_tests_properties(unit/${name}Tests PROPERTIES LABELS "unit;runtime")
    add_dependencies(pavage-runtime-tests ${name}Tests)
    return()
  endif()
  add_library(${name}Tests OBJECT ${ARG_SOURCES})
  target_include_directories(${name}Tests PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name}Tests PUBLIC ${ARG_LINK} GTest::gtest GTest::gmock)
  pavage_use_mlir(${name}Tests)
  set_property(GLOBAL APPEND PROPERTY PAVAGE_MLIR_TESTS ${name}Tests)
endfunction()

# Makes PavageMlirTests of all rooms' MLIR unit tests; called once, after the last pavage_add_unit_test.
function(pavage_finish_unit_tests)
  get_property(parts GLOBAL PROPERTY PAVAGE_MLIR_TESTS)
  if(NOT parts)
    return()
  endif()
  add_executable(PavageMlirTests ${PROJECT_SOURCE_DIR}/tests/unit/Main.cpp)
  target_link_libraries(PavageMlirTests PRIVATE ${parts})
  pavage_link_compiler(PavageMlirTests)
  pavage_register_gtest(PavageMlirTests)
endfunction()

function(pavage_register_gtest target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  add_test(NAME unit/${target} WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/tests
    COMMAND ${target} --gtest_brief=1 --gtest_output=xml:${PAVAGE_TEST_RESULTS}/unit/${target}.xml)
  set_tests_properties(unit/${target} PROPERTIES LABELS unit TIMEOUT 900)
endfunction()

# pavage_add_lit_suite(DIR): all .mlir and .test files under tests/lit, by the lit of LLVM 22.
function(pavage_add_lit_suite dir)
  set(PAVAGE_LIT_ROOT ${CMAKE_CURRENT_BINARY_DIR}/lit)
  configure_file(${dir}/lit.site.cfg.py.in ${PAVAGE_LIT_ROOT}/lit.site.cfg.py @ONLY)
  find_program(PAVAGE_LIT NAMES lit-22 llvm-lit-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
  add_test(NAME lit/lit COMMAND ${PAVAGE_LIT} -s -v --xunit-xml-output=${PAVAGE_TEST_RESULTS}/lit/lit.xml
    ${PAVAGE_LIT_ROOT})
  set_tests_properties(lit/lit PROPERTIES LABELS lit PROCESSORS 2 TIMEOUT 1800)
endfunction()

# pavage_add_pytest(LABEL): the test_*.py under tests/LABEL, by the project's Python.
function(pavage_add_pytest label)
  add_test(NAME ${label}/pytest WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ${PAVAGE_PYTHON} -m pytest -q -n 2 --junitxml=${PAVAGE_TEST_RESULTS}/${label}/pytest.xml tests/${label})
  set_tests_properties(${label}/pytest PROPERTIES LABELS ${label} PROCESSORS 2 TIMEOUT 2400
    ENVIRONMENT "PAVAGE_BUILD_DIR=${CMAKE_BINARY_DIR};PYTHONPATH=${CMAKE_BINARY_DIR}/python")
endfunction()

# pavage_add_header_tests(): compiles each public header alone, with nothing but the public include folders, as C++ and,
# where it says extern "C", as C too. An MLIR or LLVM type, a missing #include or a C++-only line breaks the build.
function(pavage_add_header_tests)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/frontend/*/include/pavage/*.h
    ${PROJECT_SOURCE_DIR}/compiler/*/include/pavage/*.h ${PROJECT_SOURCE_DIR}/runtime/*/include/pavage/*.h)
  add_library(PavagePublicHeaders OBJECT)
  foreach(header IN LISTS headers)
    get_filename_component(name ${header} NAME_WE)
    get_filename_component(folder ${header} DIRECTORY)
    list(APPEND folders ${folder}/..)
    file(READ ${header} text)
    set(languages cpp)
    if(text MATCHES "extern \"C\"")
      list(APPEND languages c)
    endif()
    foreach(language IN LISTS languages)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include <pavage/${name}.h>\n")
      target_sources(PavagePublicHeaders PRIVATE ${source})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set_target_properties(PavagePublicHeaders PROPERTIES C_STANDARD 11 INCLUDE_DIRECTORIES "${folders}")
endfunction()
