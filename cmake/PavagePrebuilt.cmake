# The libraries and the tool of another build folder, PAVAGE_PREBUILT, as if they had been built here. They do not
# depend on a Python, so that a wheel, or a check with one more interpreter, need only compile the two extension
# modules.
foreach(target IN ITEMS pavage PavageCore)
  add_library(${target} SHARED IMPORTED GLOBAL)
endforeach()
set_target_properties(pavage PROPERTIES IMPORTED_LOCATION ${PAVAGE_PREBUILT}/lib/libpavage.so
  INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/runtime/Launch/include)
set_target_properties(PavageCore PROPERTIES IMPORTED_LOCATION ${PAVAGE_PREBUILT}/lib/libpavage_core.so
  INTERFACE_INCLUDE_DIRECTORIES
  "${PROJECT_SOURCE_DIR}/compiler/Driver/include;${PROJECT_SOURCE_DIR}/frontend/builder/include")
install(FILES ${PAVAGE_PREBUILT}/lib/libpavage.so ${PAVAGE_PREBUILT}/lib/libpavage_core.so DESTINATION pavage
  COMPONENT python)
if(DEFINED SKBUILD_SCRIPTS_DIR)
  # The path of the built tool holds the one that an installed tool needs, so this one has room.
  include(PavageToolPath)
  install(PROGRAMS ${PAVAGE_PREBUILT}/bin/pavage DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}${SKBUILD_SCRIPTS_DIR}/pavage\" NEW_RPATH \"${PAVAGE_TOOL_PATH}\")"
    COMPONENT python)
endif()
