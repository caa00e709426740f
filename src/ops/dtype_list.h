// Every dtype: DTYPE(id, name, C type, bytes, class, TensorFlow's enum name).
// The class is one of BOOL, UINT, INT, FLOAT, STRING. No include guard.
DTYPE(BOOL, "bool", uint8_t, 1, BOOL, "DT_BOOL")
DTYPE(UINT8, "uint8", uint8_t, 1, UINT, "DT_UINT8")
DTYPE(INT8, "int8", int8_t, 1, INT, "DT_INT8")
DTYPE(INT16, "int16", int16_t, 2, INT, "DT_INT16")
DTYPE(INT32, "int32", int32_t, 4, INT, "DT_INT32")
DTYPE(INT64, "int64", int64_t, 8, INT, "DT_INT64")
DTYPE(FLOAT32, "float32", float, 4, FLOAT, "DT_FLOAT")
DTYPE(FLOAT64, "float64", double, 8, FLOAT, "DT_DOUBLE")
DTYPE(FLOAT16, "float16", uint16_t, 2, FLOAT, "DT_HALF")
DTYPE(BFLOAT16, "bfloat16", uint16_t, 2, FLOAT, "DT_BFLOAT16")
DTYPE(STRING, "string", TensorString *, 8, STRING, "DT_STRING")
