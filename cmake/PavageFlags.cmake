# Compiler flags of our own code. Build type defaults to -O2 with our assertions on.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Pavage CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_PAVAGE "-O2" CACHE STRING "")
set(CMAKE_CXX_FLAGS_PAVAGE "-O2" CACHE STRING "")

add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections
  -fvisibility-inlines-hidden -fvisibility=hidden)
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
if(PAVAGE_SANITIZE)
  add_compile_options(-fsanitize=${PAVAGE_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${PAVAGE_SANITIZE})
else()
  add_link_options(-Wl,--icf=all)
endif()

find_program(PAVAGE_CCACHE ccache)
if(PAVAGE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${PAVAGE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${PAVAGE_CCACHE})
endif()
