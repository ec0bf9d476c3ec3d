# Where an installed `pavage` finds the libraries: in ../lib, or in the Python package of a wheel whose scripts are
# beside its interpreter.
set(python_lib "\$ORIGIN/../lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}")
set(PAVAGE_TOOL_PATH
  "\$ORIGIN/../lib:${python_lib}/site-packages/pavage:${python_lib}/dist-packages/pavage")
