#!/usr/bin/env python3
"""`tenure verify FILE` judges the plan that another tool's file carries: proved, rejected, or
unproved where a kernel of that tool writes over what it reads; contract files decide those.
Usage: foreign.py TENURE SOURCE_ROOT"""
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'served'))
import served

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
contracts = root / 'fixtures/contracts'
wrong = 0
folder = pathlib.Path(tempfile.mkdtemp())


def verify(path, *words):
    done = served.run([program, 'verify', path, *map(str, words)], capture_output=True,
                      text=True)
    claims = dict(re.findall(r'^  (\S.*?): (proved|rejected|unproved)', done.stdout, re.M))
    return done.returncode, claims, done.stdout + done.stderr


def check(path, code, claims, *words, says=()):
    """`claims`: what becomes of some claims, by id; `says`: what must be told."""
    global wrong
    have = verify(path, *words)
    bad = [c for c, v in claims.items() if have[1].get(c) != v]
    bad += [s for s in says if s not in have[2]]
    if have[0] != code or bad:
        wrong += 1
        print(path.name, words, 'exit', have[0], 'for', code, bad, have[2][:1500])


own = root / 'fixtures/foreign'
declared = ('--contracts', contracts / 'own.xml')
st = {'heap_overlay_pool': 'unproved'}
check(own / 'st.json', 1, st, says=['would have to be safe', "the built-in kernel"])
check(own / 'st.json', 0, {'heap_overlay_pool': 'proved'}, '--contracts', 'tflm',
      says=['assumed: \'dw\' is as tflm:', 'assumed: \'act\' is as tflm:'])
check(own / 'st.json', 1, {'heap_overlay_pool': 'rejected'},
      '--contracts', contracts / 'unsafe.xml', '--contracts', contracts / 'depthwise.xml')
# a weight in the pool of the activations is overwritten there
info = json.loads((own / 'st.json').read_text())
weights = next(b for b in info['buffers'] if b['name'] == 'pw_weights_array')
weights.update(mpool_id=0, offset_start=72)
(folder / 'st_weight.json').write_text(json.dumps(info))
check(folder / 'st_weight.json', 1, {'heap_overlay_pool': 'rejected'}, '--contracts', 'tflm',
      says=['CONST_WRITE', "of 'pw_weights_array', which the next run still reads"])
weights.update(offset_start=80)
info['memory_pools'][0]['used_size_bytes'] = 86
(folder / 'st_weight.json').write_text(json.dumps(info))
check(folder / 'st_weight.json', 0, {'heap_overlay_pool': 'proved'}, '--contracts', 'tflm')
# a plan that does not say how large its arena is
graph = {'format': 'tenure.graph/1',
         'tensors': [{'name': n, 'dtype': 'f32', 'shape': [4], 'role': r}
                     for n, r in (('x', 'input'), ('a', 'act'), ('y', 'output'))],
         'ops': [{'name': 'p', 'type': 'Neg', 'inputs': ['x'], 'outputs': ['a']},
                 {'name': 'q', 'type': 'MatMul', 'inputs': ['a'], 'outputs': ['y']}],
         'claims': [{'id': 'c', 'kind': 'plan', 'offsets': {'a': 32, 'y': 40}}]}
(folder / 'open.json').write_text(json.dumps(graph))
check(folder / 'open.json', 1, {'c': 'rejected'},
      says=["(another_offset, 24 B): place 'y' at 64, in an arena of 80 B"])
check(own / 'executorch.json', 0, {'memory 1': 'proved'})
check(own / 'tvm.json', 0, {'storage_id': 'proved'})
check(own / 'xla_module.json', 2, {}, says=['carries no plan'])
# no two arrays share an allocation: that is a plan as well, and may be wrong
module = json.loads((own / 'xla_module.json').read_text())
for size, verdict in (('24', 'proved'), ('20', 'rejected')):
    sizes = {'foo': '4', 'baz': size, 'bar': '32'}
    ids = {n: str(i) for i, n in enumerate(sizes)}
    assignment = {
        'logicalBuffers': [{'id': ids[n], 'size': s, 'definedAt': {'instructionName': n}}
                           for n, s in sizes.items()],
        'bufferAllocations': [{'index': ids[n], 'size': s, 'assigned': [
            {'logicalBufferId': ids[n], 'offset': '0', 'size': s}]} for n, s in sizes.items()]}
    (folder / 'alone.json').write_text(
        json.dumps({'hloModule': module, 'bufferAssignment': assignment}))
    check(folder / 'alone.json', verdict == 'rejected', {'allocations': verdict},
          '--from', 'xla')
# instructions that write over their operands: each is right until somebody still needs one
def entry(module):
    return module['hloModule']['computations'][1]['instructions']


def read_later(module):
    add = dict(entry(module)[2], name='late', id='30', operandIds=['14', '14'])
    entry(module).insert(6, add)
    entry(module)[-1]['shape']['tupleShapes'].append(add['shape'])
    entry(module)[-1]['operandIds'].append('30')


def returned(module):
    entry(module)[-1]['shape']['tupleShapes'].append(entry(module)[0]['shape'])
    entry(module)[-1]['operandIds'].append('14')


def preserved(module):
    del module['hloModule']['inputOutputAlias']


def constant(module):
    entry(module)[2].update(opcode='constant', operandIds=[])
    entry(module)[3]['outputOperandAliasing'][:] = [{'outputShapeIndex': ['0']}]


def twice(module):
    entry(module)[3]['outputOperandAliasing'][1]['operandShapeIndex'] = ['0']


def smaller(module):
    shape = dict(entry(module)[2]['shape'], dimensions=['2', '4'])
    entry(module)[2].update(opcode='custom-call', shape=shape)
    entry(module)[3]['outputOperandAliasing'][:] = [{'outputShapeIndex': ['0']}]


right = {'in place %d' % i: 'proved' for i in range(3)}
for change, code, claims, says in (
        (lambda module: None, 0, right, ['was made to write over its operands']),
        (read_later, 1, dict(right, **{'in place 2': 'rejected'}), ["'late'"]),
        (returned, 1, dict(right, **{'in place 2': 'rejected'}), ['OUTPUT_CLOBBER']),
        (preserved, 1, {'in place 0': 'rejected', 'in place 1': 'rejected'}, ['INPUT_WRITE']),
        (constant, 1, {'in place 0': 'rejected'}, ['CONST_WRITE']),
        (twice, 1, {'in place 0 + in place 1': 'rejected'}, ['rejected WAW']),
        (smaller, 1, {'in place 0': 'rejected'}, ['SIZE'])):
    for name in 'xla_in_place.json', 'native/xla_in_place.json.json':
        if 'native' in name and code:
            continue
        graph = json.loads((own / name).read_text())
        change(graph)
        (folder / 'in_place.json').write_text(json.dumps(graph))
        check(folder / 'in_place.json', code, claims, says=says)
# the same claim for an output that the kernel was not made to put there
graph = json.loads((own / 'native/xla_in_place.json.json').read_text())
graph['claims'] = [{'kind': 'inplace', 'id': 'c', 'op': 'attend', 'in': 'cache.0', 'out': o}
                   for o in ('attend.2',)]
(folder / 'in_place.json').write_text(json.dumps(graph))
check(folder / 'in_place.json', 1, {'c': 'unproved'}, says=['nobody has declared'])
for name, message in (('bad-entity', 'a document type is not allowed'),
                      ('bad-element', 'an attribute of'), ('bad-format', 'an attribute of'),
                      ('bad-type', 'an element type is not known'), ('bad-end', 'mismatch')):
    check(own / 'st.json', 2, {}, '--contracts', contracts / (name + '.xml'),
          says=['contracts/invalid', message, name + '.xml:'])
check(own / 'st.json', 2, {}, '--contracts', contracts / 'absent.xml')

# MiniMalloc's CSV: alone, and as the plan of a graph
def csv(name, *rows):
    path = folder / name
    path.write_text('\n'.join(('id,lower,upper,size,offset',) + rows) + '\n')
    return path


alone = 'a,0,3,4,0', 'b,1,5,4,4', 'c,3,6,4,0'
check(csv('fits.csv', *alone), 0, {}, says=['verified: 3 buffers, height 8'])
check(csv('fits.csv', *alone), 0, {}, '--capacity', 8)
check(csv('fits.csv', *alone), 1, {}, '--capacity', 7, says=['1 B beyond the capacity'])
check(csv('meets.csv', 'a,0,3,4,0', 'b,2,5,4,3'), 1, {},
      says=["'a' and 'b' are both alive from 2 to 3 and share bytes 3..4 [plan/overlap]"])
check(csv('open.csv', 'a,0,3,4,0', 'b,2,5,4,'), 2, {}, says=["'b' has no offset"])
kws = root / 'fixtures/graphs/kws_i8.json'
made = folder / 'made.csv'
served.run([program, 'plan', kws, '--overlap', 'none', '--write-csv', made, '-o',
            folder / 'made.json'], check=True, capture_output=True)
check(kws, 0, {str(made): 'proved'}, made)
check(kws, 1, {str(made): 'rejected'}, '--capacity', 100, made, says=['OUT_OF_ARENA'])
head, *lines = [line.split(',') for line in made.read_text().splitlines()]
for line in lines:
    line[head.index('offset')] = '0'
made.write_text('\n'.join(map(','.join, [head, *lines])))
check(kws, 1, {str(made): 'rejected'}, made)
check(kws, 2, {}, csv('other.csv', *alone), says=["the graph has no tensor 'a'"])

samples = root.parent / 'shared/formats/samples'
if samples.exists():
    info = next((samples / 'st_cubeai').glob('*c_info.json'))
    check(info, 1, st, says=['displacement of %d B' % d for d in (40, 2012, 108, 84)])
    check(info, 0, {'heap_overlay_pool': 'proved'}, '--contracts', 'tflm')
    check(info, 1, st, '--contracts', 'cmsis-nn', says=['displacement of 2012 B'])
    check(info, 1, st, '--contracts', contracts / 'far.xml', says=['declares 4000 B'])
    vela = samples / 'tflite/person_detect_vela.nodata.json'
    check(vela, 1, {'OfflineMemoryAllocation': 'unproved'}, says=['ethos-u'])
    check(vela, 0, {'OfflineMemoryAllocation': 'proved'}, *declared,
          says=["'ethos-u#0' is as"])
    check(vela, 1, {'OfflineMemoryAllocation': 'rejected'},
          '--contracts', contracts / 'unsafe.xml')
    check(samples / 'tflite/synthetic_hello_world_int8_offline_plan.json', 0,
          {'OfflineMemoryAllocation': 'proved'})
    for path in sorted((samples / 'executorch').glob('*.json')):
        check(path, 0, {'memory 1': 'proved'})
    check(samples / 'tvm/crt_graph_executor_test_fused_add.json', 0, {'storage_id': 'proved'})
    check(samples / 'tvm/squeezenet_deploy_graph.json', 0, {'storage_id': 'proved'})
    kv = samples / 'xla/synthetic_kv_cache_alias.hloproto.json'
    check(kv, 1, {'alias 0': 'unproved', 'allocation 0': 'unproved'})
    check(kv, 0, {'alias 0': 'proved', 'allocation 0': 'proved'}, '--contracts', 'xla')
    check(samples / 'xla/profile_demo.memory_viewer.hloproto.json', 0,
          {'allocations': 'proved'})
print('%d wrong' % wrong)
sys.exit(1 if wrong else 0)
