# export/: what leaves Duet. One source a line, alphabetical.
export_sources =
export_sources += src/export/boxes.c
export_sources += src/export/dot.c
export_sources += src/export/graphdef.c
export_sources += src/export/graphdef_effect.c
export_sources += src/export/graphdef_flow.c
export_sources += src/export/graphdef_node.c
export_sources += src/export/graphdef_shape.c
export_sources += src/export/graphdef_text.c
