// What TensorFlow calls nodes and results, by their ops.
#include "export/graphdef_text.h"

#include <string.h>

// A row of the two tables below: an op of TensorFlow and a name that goes with
// it.
typedef struct NameRow {
    const char *op, *name;
} NameRow;

static const NameRow base_names[] = {
    {"Add", "add"},
    {"AddV2", "add"},
    {"BatchMatMulV2", "MatMul"},
    {"ConcatV2", "concat"},
    {"Fill", "Fill"},
    {"FloorDiv", "floordiv"},
    {"FloorMod", "mod"},
    {"If", "cond"},
    {"MatMul", "MatMul"},
    {"Mul", "mul"},
    {"OneHot", "one_hot"},
    {"Pack", "stack"},
    {"Pow", "pow"},
    {"Range", "range"},
    {"RealDiv", "truediv"},
    {"SplitV", "split"},
    {"StatelessIf", "cond"},
    {"StatelessWhile", "while"},
    {"StridedSlice", "strided_slice"},
    {"Sub", "sub"},
    {"Transpose", "transpose"},
    {"Unpack", "unstack"},
    {"While", "while"},
};

// As the definitions of the ops have them.
static const NameRow result_names[] = {
    {"Add", "z"},
    {"AddN", "sum"},
    {"All", "output"},
    {"Any", "output"},
    {"ArgMax", "output"},
    {"ArgMin", "output"},
    {"AvgPool", "output"},
    {"AvgPoolGrad", "output"},
    {"BatchMatMulV2", "output"},
    {"Bitcast", "output"},
    {"BroadcastArgs", "r0"},
    {"BroadcastGradientArgs", "r0 r1"},
    {"BroadcastTo", "output"},
    {"Cholesky", "output"},
    {"ClipByValue", "output"},
    {"ConcatV2", "output"},
    {"Const", "output"},
    {"Conv2D", "output"},
    {"Conv2DBackpropFilter", "output"},
    {"Conv2DBackpropInput", "output"},
    {"Cumprod", "out"},
    {"Cumsum", "out"},
    {"DepthwiseConv2dNative", "output"},
    {"DepthwiseConv2dNativeBackpropFilter", "output"},
    {"DepthwiseConv2dNativeBackpropInput", "output"},
    {"EagerPyFunc", "output"},
    {"EmptyTensorList", "handle"},
    {"ExpandDims", "output"},
    {"Fill", "output"},
    {"GatherNd", "output"},
    {"GatherV2", "output"},
    {"Identity", "output"},
    {"If", "output"},
    {"LinSpace", "output"},
    {"LogSoftmax", "logsoftmax"},
    {"LowerBound", "output"},
    {"MatMul", "product"},
    {"MatrixBandPart", "band"},
    {"MatrixDeterminant", "output"},
    {"MatrixInverse", "output"},
    {"MatrixSolve", "output"},
    {"Max", "output"},
    {"MaxPool", "output"},
    {"MaxPoolGrad", "output"},
    {"MaxPoolGradGrad", "output"},
    {"Mean", "output"},
    {"Min", "output"},
    {"MirrorPad", "output"},
    {"OneHot", "output"},
    {"OnesLike", "y"},
    {"Pack", "output"},
    {"Pad", "output"},
    {"PadV2", "output"},
    {"PartitionedCall", "output"},
    {"Prod", "output"},
    {"Qr", "q r"},
    {"RandomShuffle", "output"},
    {"RandomStandardNormal", "output"},
    {"RandomUniform", "output"},
    {"RandomUniformInt", "output"},
    {"Range", "output"},
    {"ReadVariableOp", "value"},
    {"Relu", "activations"},
    {"Reshape", "output"},
    {"ReverseV2", "output"},
    {"Roll", "output"},
    {"SelectV2", "output"},
    {"SelfAdjointEigV2", "e v"},
    {"Shape", "output"},
    {"Size", "output"},
    {"Softmax", "softmax"},
    {"Softplus", "activations"},
    {"SplitV", "output"},
    {"Squeeze", "output"},
    {"StatefulPartitionedCall", "output"},
    {"StatelessIf", "output"},
    {"StatelessWhile", "output"},
    {"StopGradient", "output"},
    {"StridedSlice", "output"},
    {"StridedSliceGrad", "output"},
    {"StringFormat", "output"},
    {"StringJoin", "output"},
    {"StringLength", "output"},
    {"StringLower", "output"},
    {"StringSplitV2", "indices values shape"},
    {"StringToNumber", "output"},
    {"StringUpper", "output"},
    {"Sum", "output"},
    {"Svd", "s u v"},
    {"TensorListConcatLists", "output"},
    {"TensorListFromTensor", "output_handle"},
    {"TensorListGetItem", "item"},
    {"TensorListLength", "length"},
    {"TensorListPopBack", "output_handle tensor"},
    {"TensorListPushBack", "output_handle"},
    {"TensorListResize", "output_handle"},
    {"TensorListSetItem", "output_handle"},
    {"TensorListStack", "tensor"},
    {"TensorScatterAdd", "output"},
    {"TensorScatterMax", "output"},
    {"TensorScatterMin", "output"},
    {"TensorScatterUpdate", "output"},
    {"Tile", "output"},
    {"TopKV2", "values indices"},
    {"Transpose", "y"},
    {"Unique", "y idx"},
    {"Unpack", "output"},
    {"UpperBound", "output"},
    {"Where", "index"},
    {"While", "output"},
    {"ZerosLike", "y"},
};

// Tables are short and asked once a node.
static const char *look_up(const NameRow *rows, size_t count, const char *op)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].op, op) == 0) {
            return rows[i].name;
        }
    }
    return NULL;
}

// What has no name of its own goes by its op.
const char *gd_base_name(const char *op)
{
    const char *name =
        look_up(base_names, sizeof base_names / sizeof base_names[0], op);
    return name != NULL ? name : op;
}

// Results are named in the op's definition in TensorFlow; most elementwise
// ones are z with two operands and y with one.
const char *gd_result_name(const char *op, uint32_t inputs)
{
    const char *name =
        look_up(result_names, sizeof result_names / sizeof result_names[0], op);
    // What is new in graphdef_list.h needs a row above if its result has
    // another name.
    return name != NULL ? name : inputs == 2 ? "z" : "y";
}
