# export/: what leaves Duet. One source a line, alphabetical.
export_sources =
export_sources += src/export/boxes.c
export_sources += src/export/dot.c
export_sources += src/export/graphdef.c
export_sources += src/export/graphdef_derived.c
export_sources += src/export/graphdef_draw.c
export_sources += src/export/graphdef_effect.c
export_sources += src/export/graphdef_flow.c
export_sources += src/export/graphdef_maths.c
export_sources += src/export/graphdef_names.c
export_sources += src/export/graphdef_node.c
export_sources += src/export/graphdef_order.c
export_sources += src/export/graphdef_shape.c
export_sources += src/export/graphdef_slice.c
export_sources += src/export/graphdef_step.c
export_sources += src/export/graphdef_tensors.c
export_sources += src/export/graphdef_text.c
