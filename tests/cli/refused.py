#!/usr/bin/env python3
"""Files of other tools that hold no graph, or that have no reader, are told by their content and
refused with what to read instead; so are files of no format at all.
Usage: refused.py TENURE SOURCE_ROOT"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = root / 'fixtures/other'
hlo = 'xla_dump_hlo_as_proto'
# file: what it is, what to read
OTHERS = {
    'any.zip': ('a zip archive (zip)', 'take the model out'),
    'chrome_events.json': ('a Chrome trace', 'read the model whose run'),
    'chrome_trace.json': ('a Chrome trace', 'read the model whose run'),
    'frozen.pb': ('a TensorFlow graph (.pb)', 'TFLiteConverter'),
    'hlo.txt': ('an XLA HLO module as text', hlo),
    'keras.h5': ('an HDF5 file', 'TFLiteConverter'),
    'keras_2.json': ("a Keras model's layers", 'TFLiteConverter'),
    'keras_3.json': ("a Keras model's layers", 'TFLiteConverter'),
    'model.gguf': ('a file of weights without a graph (gguf)', 'the .tflite or .onnx'),
    'model.keras': ('a Keras model (.keras)', 'TFLiteConverter'),
    'model.mlmodel': ('a Core ML model', 'the .tflite or .onnx'),
    'model_v1.mlmodel': ('a Core ML model', 'the .tflite or .onnx'),
    'mlpackage.zip': ('a Core ML model', 'the .tflite or .onnx'),
    'mlpackage_manifest.json': ('a Core ML model', 'the .tflite or .onnx'),
    'model.pt2': ('a PyTorch archive', 'unzip -p'),
    'model.pth': ('a PyTorch file (.pt, .pth)', 'torch.onnx.export'),
    'model.safetensors': ('a file of weights without a graph (safetensors)', 'torch.onnx.export'),
    'model.tflite.gz': ('a file that gzip compressed', 'gunzip'),
    'model_data.cc': ('a .tflite model as a C array', 'read the .tflite file'),
    'model_old.pt2': ('a PyTorch archive', 'serialized_exported_program.json'),
    'node_data.json': ("Model Explorer's data on nodes", 'read the graph'),
    'node_data_graphs.json': ("Model Explorer's data on nodes", 'read the graph'),
    'old.pth': ('a Python pickle', 'torch.onnx.export'),
    'pickle.pkl': ('a Python pickle', 'torch.onnx.export'),
    'pointer.tflite': ("Git LFS's pointer", 'git lfs pull'),
    'program.pte': ('an ExecuTorch program (executorch)', 'flatc'),
    'sarif.json': ('a SARIF report', 'read the model'),
    'saved_model.pb': ('a TensorFlow SavedModel', 'TFLiteConverter'),
    'st_graph.json': ('an ST Edge AI report', 'c_info.json'),
    'st_report.json': ('an ST Edge AI report', 'c_info.json'),
    'stablehlo.mlir': ('MLIR as text', hlo),
    'stablehlo.mlirbc': ('MLIR as bytecode', hlo),
    'stablehlo_located.mlir': ('MLIR as text', hlo),
    'tenure_plan.json': ("a file of tenure's that is no graph", 'read the graph'),
    'tensorrt_profile.json': ('a TensorRT profile', 'exportLayerInfo'),
    'tfjs.json': ('a TensorFlow.js model', 'to .tflite'),
    'tinyengine.json': ('a TinyEngine graph', '.tflite'),
    'vela_per_layer.csv': ("a report of Vela's", 'the .tflite that Vela wrote'),
    'vela_summary.csv': ("a report of Vela's", 'the .tflite that Vela wrote'),
}
# near misses: what only looks like one of them
NONE = {
    'module.txt': 'module one: how to start\n',
    'comment.txt': '// nothing\n',
    'table.csv': 'experiment,result\n1,2\n',
    'results.json': '{"results": {"passed": 3}}',
    'array.c': 'const unsigned char data[] = {0x54, 0x46, 0x4c};\n',
    'version.txt': 'version https://example.com/spec/v1\n',
    'events.json': '[{"name": "conv", "ph": "X"}]',
}
wrong = 0


def refused(command, path, words):
    """Exit 2, and all of the words are told."""
    done = served.run([program, command, path], capture_output=True, text=True)
    return done.returncode == 2 and all(w in done.stdout + done.stderr for w in words), done


def check(path, commands, words):
    global wrong
    for command in commands:
        good, done = refused(command, path, words)
        if not good:
            wrong += 1
            print(command, path.name, 'exit', done.returncode, done.stderr)


if sorted(OTHERS) != sorted(p.name for p in folder.iterdir()):
    wrong += 1
    print('the table is not the folder:', set(OTHERS) ^ {p.name for p in folder.iterdir()})
for name, words in OTHERS.items():
    check(folder / name, ['plan', 'lint', 'convert', 'verify'],
          ('import/unsupported', 'tenure does not read it') + words)
with tempfile.TemporaryDirectory() as temporary:
    for name, text in NONE.items():
        path = pathlib.Path(temporary) / name
        path.write_text(text)
        check(path, ['plan'], ['import/format'])
print('%d files, %d wrong' % (len(OTHERS) + len(NONE), wrong))
sys.exit(1 if wrong else 0)
