# ravel_add_test(TARGET [OPTION...]): registers each test of an executable that is built with `ravel cc`, and each of its
# schedules, as a CTest test of its own: TARGET.test/label. Options go to `ravel test`.
#
#   find_package(ravel REQUIRED)
#   enable_testing()
#   add_executable(queue_test queue_test.c)
#   ravel_add_test(queue_test --time-limit=30)
#
# After each build of TARGET, `ravel test --list` is asked which tests it has. If it has none, or is not built with
# `ravel cc`, there is one test TARGET that fails and says so.
set(RAVEL_DISCOVER ${CMAKE_CURRENT_LIST_DIR}/ravel-discover.cmake)

function(ravel_add_test target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ravel_add_test: there is no target ${target}")
  endif()
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${target}.ravel-found.cmake)
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}.ravel-tests.cmake)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D RAVEL=${RAVEL_EXECUTABLE} -D TARGET=${target} -D PROGRAM=$<TARGET_FILE:${target}>
      -D "OPTIONS=${ARGN}" -D OUTPUT=${found} -P ${RAVEL_DISCOVER}
    BYPRODUCTS ${found})
  # Before the first build there is nothing to run.
  file(WRITE ${tests} "if(EXISTS [==[${found}]==])\n  include([==[${found}]==])\nelse()\n"
    "  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${tests})
endfunction()
