# backend/: one source a line, alphabetical. Headers need no line.
backend_sources =
backend_sources += src/backend/duetgraph.c
backend_sources += src/backend/exec.c
backend_sources += src/backend/host_text.c
backend_sources += src/backend/nest.c
backend_sources += src/backend/plan.c
backend_sources += src/backend/plan_callee.c
backend_sources += src/backend/plan_print.c
backend_sources += src/backend/plan_turn.c
backend_sources += src/backend/profile.c
backend_sources += src/backend/scalar_build.c
backend_sources += src/backend/scalar_run.c
backend_sources += src/backend/step_call.c
backend_sources += src/backend/tile_build.c
backend_sources += src/backend/tile_code.c
backend_sources += src/backend/tile_run.c
