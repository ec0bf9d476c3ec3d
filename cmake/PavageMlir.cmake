# LLVM and MLIR 22.1 from Debian: one link policy and one precompiled header for all rooms that use them.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR})

# MLIR's tablegen rules read this directory property; everything else uses target properties.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

# Debian's exported MLIR targets link libLLVM.so, which together with the static LLVM would register every option twice.
if(PAVAGE_STATIC)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported)
    if(target MATCHES "^MLIR")
      get_target_property(interface ${target} INTERFACE_LINK_LIBRARIES)
      if(interface)
        list(REMOVE_ITEM interface LLVM)
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")
      endif()
    endif()
  endforeach()
endif()

# pavage_use_mlir(TARGET): include folders, LLVM's flags and the precompiled header.
function(pavage_use_mlir target)
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -Wno-unused-but-set-variable)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND NOT target STREQUAL PavagePch)
    target_precompile_headers(${target} REUSE_FROM PavagePch)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_library(PavagePch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  pavage_use_mlir(PavagePch)
  target_compile_options(PavagePch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(PavagePch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

# pavage_link_mlir(TARGET MLIR... LLVM ...): MLIR libraries by target name, LLVM by component.
function(pavage_link_mlir target)
  cmake_parse_arguments(ARG "" "" "MLIR;LLVM" ${ARGN})
  if(PAVAGE_STATIC)
    llvm_map_components_to_libnames(llvm ${ARG_LLVM})
    target_link_libraries(${target} PRIVATE ${ARG_MLIR} ${llvm})
  else()
    target_link_libraries(${target} PRIVATE MLIR LLVM)
    target_link_options(${target} PRIVATE -Wl,-rpath,${LLVM_LIBRARY_DIR})
  endif()
endfunction()
