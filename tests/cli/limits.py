#!/usr/bin/env python3
"""The limits of docs/LIMITS.md: one beyond each is refused with status 2, by its rule, within
bounded memory; at the limit the file is read. Of 2 GB of junk only the head is read. Searches
end by count and by time. With too little memory every command says so, with status 3.
usage: limits.py TENURE SANITIZERS"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "served"))
import served

tenure = os.path.abspath(sys.argv[1])
MEMORY = 1 << 30  # bytes of address space
sanitized = sys.argv[2] != "none"  # then it is reserved by the terabyte


def graph(shape=(1, 4), tensors=None, **more):
    x = {"name": "x", "dtype": "i8", "shape": list(shape), "role": "input"}
    y = {**x, "name": "y", "role": "output"}
    return {"format": "tenure.graph/1", "tensors": [x, y, *(tensors or [])],
            "ops": [{"name": "op", "type": "RELU", "inputs": ["x"], "outputs": ["y"]}], **more}


def nested(levels):
    """`note` may hold anything; the graph itself is the first level"""
    return json.dumps(graph())[:-1] + ', "note": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


def seeded(size):
    return graph(tensors=[{"name": "w", "dtype": "i8", "shape": [size], "data": {"seed": 1}}])


def big():
    with open("g.json", "wb") as file:
        file.truncate((1 << 31) + 1)
    return None


def values(count):
    """a list of that many numbers, in a graph"""
    return json.dumps(graph())[:-1] + ', "note": [' + "0," * (count - 1) + "0]}"


def one_op(kind, before, after, **attrs):
    """an op between two ops that can run in place, from one shape to another"""
    shapes = {"x": before, "a": before, "b": after, "y": after}
    q = {"scale": [0.5], "zero_point": [0]}
    tensors = [{"name": n, "dtype": "i8", "shape": s, "quantization": q} for n, s in shapes.items()]
    tensors[0].update(role="input", clobber=True)
    tensors[3]["role"] = "output"
    ops = [("RELU", "x", "a", {}), (kind, "a", "b", attrs), ("RELU", "b", "y", {})]
    return {"format": "tenure.graph/1", "tensors": tensors, "ops": [
        {"name": f"op{i}", "type": t, "inputs": [x], "outputs": [y], "attrs": a}
        for i, (t, x, y, a) in enumerate(ops)]}


def renamed(n, views, outputs=False):
    """a chain of ops that only rename what they read: by their type, or by the file's word, too.
    Who walks it to its root from each link anew takes n * n / 2 steps"""
    names = [f"t{i}" for i in range(n + 1)]
    tensors = [{"name": t, "dtype": "i8", "shape": [4], **({"view_of": f"t{i - 1}"} if views and i else {})}
               for i, t in enumerate(names)]
    tensors[0]["role"] = "input"
    ops = [{"name": f"op{i}", "type": "RESHAPE", "inputs": [names[i]], "outputs": [names[i + 1]],
            "attrs": {"new_shape": [4]}} for i in range(n)]
    return {"format": "tenure.graph/1", "tensors": tensors, "ops": ops,
            "inputs": ["t0"], "outputs": names[1:] if outputs else names[-1:]}


def xml(n):
    return ("<net name='a>b' version='11' " + " ".join(f'a{i}="="' for i in range(n - 2)) +
            "><!-- " + "=" * 300 + " --><layers/><edges/></net>")


def pack(length):
    with open("pack.xml", "w") as file:
        file.write(f'''<rules format="tenure.rules/1"><rule id="team/long" severity="error">
<title>long</title><fix>shorten it</fix><check context="/model" assert="{"1".ljust(length, "0")}"/>
</rule></rules>''')
    return graph()


GRAPH = ["lint", "g.json", "--fail-on", "error"]
RULES = [*GRAPH, "--rules", "pack.xml"]
PLAN = ["plan", "g.json"]
# what, command, what is in the file, rule that refuses it or None when it is read
ROWS = [
    ("a file of 2 GiB and a byte", GRAPH, big, "'g.json' is larger than 2147483648 bytes [file/too-large]"),
    ("64 levels of JSON", GRAPH, nested(64), None),
    ("65 levels of JSON", GRAPH, nested(65), "json/limit"),
    ("100,000 levels of JSON", GRAPH, nested(100000), "json/limit"),
    ("too many values", GRAPH, values(8388608), "json/limit"),
    ("rank 8", GRAPH, graph([1] * 8), None),
    ("rank 9", GRAPH, graph([1] * 9), "graph/rank"),
    ("2^59 bytes", GRAPH, graph([1 << 31, 1 << 28]), None),
    ("2^60 bytes", GRAPH, graph([1 << 31, 1 << 29]), "graph/size-overflow"),
    ("a dimension of 2^63", GRAPH, json.dumps(graph()).replace("[1, 4]", "[1, 9223372036854775808]"), "json/syntax"),
    ("a mean of 2^56 elements", PLAN, one_op(
        "MEAN", [1, 72340172838076673, 1, 1], [1, 1, 1, 1], axes=[1, 2], keep_dims=True), None),
    ("a window of 2^31 rows", PLAN, one_op(
        "MAX_POOL_2D", [1, 64, 64, 8], [1, 64, 64, 8], kernel=[(1 << 31) - 1, 1], stride=[1, 1],
        pad="SAME"), None),
    ("a slice of nothing", PLAN, one_op(
        "SLICE", [0, 1 << 40], [0, 1 << 39], begin=[0, 1], size=[0, 1 << 39]), None),
    ("a transpose of nothing", PLAN, one_op(
        "TRANSPOSE", [1 << 40, 1 << 40, 0], [0, 1 << 40, 1 << 40], perm=[2, 0, 1]), None),
    ("parts of nothing", PLAN, one_op(
        "CONCATENATION", [(1 << 31) - 1, 0], [(1 << 31) - 1, 0], axis=1), None),
    ("2^28 seeded bytes", GRAPH, seeded(1 << 28), None),
    ("2^28 + 1 seeded bytes", GRAPH, seeded((1 << 28) + 1), "native/data"),
    ("1,001 invocations", GRAPH, graph(invocations=1001), "native/type"),
    ("256 attributes in XML", GRAPH, xml(256), None),
    ("257 attributes in XML", GRAPH, xml(257), "xml/limit"),
    ("16,385 operands", GRAPH, {
        "format": "tenure.graph/1", "tensors": [
            {"name": "x", "dtype": "i8", "shape": [4], "role": "input"},
            {"name": "y", "dtype": "i8", "shape": [4], "role": "output"}],
        "ops": [{"name": "k", "type": "Mystery", "inputs": ["x"] * 16384, "outputs": ["y"]}]},
     "graph/operands"),
    ("100,000 reshapes, judged", GRAPH, renamed(100000, False), None),
    ("100,000 views of each other, judged", GRAPH, renamed(100000, True), None),
    ("50,000 outputs, views of each other", PLAN, renamed(50000, True, True), None),
    ("32 regions", [*PLAN, *(w for i in range(32) for w in ("--region", f"r{i}:1K"))], graph(), None),
    ("33 regions", [*PLAN, *(w for i in range(33) for w in ("--region", f"r{i}:1K"))], graph(), "command/memory"),
    ("alignment of 1 MiB", [*PLAN, "--align", "1048576"], graph(), None),
    ("alignment of 2 MiB", [*PLAN, "--align", "2097152"], graph(), "--align"),
    ("4,096 characters of XPath", RULES, lambda: pack(4096), None),
    ("4,097 characters of XPath", RULES, lambda: pack(4097), "rules/invalid"),
]


def run(command, memory=MEMORY):
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return served.run([tenure, *command], capture_output=True, text=True, timeout=300,
                      preexec_fn=None if sanitized else bound)


wrong = 0
for what, command, content, rule in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        content = content() if callable(content) else content
        if content is not None:
            with open("g.json", "w") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
        done = run(command)
        os.chdir("/")
    said = done.stdout + done.stderr
    if done.returncode != (2 if rule else 0) or (rule and rule not in said):
        print(f"{what}: status {done.returncode}, wanted {rule or 'that it is read'}\n{said[:500]}")
        wrong += 1


# 2 GB that are nothing, by their first bytes; what is behind 1 MiB is a hole
JUNK = {"zeros": b"", "a letter": b"a" * (1 << 20), "bytes": bytes(range(256)) * 4096,
        "open objects": b"{" * (1 << 20), "open lists": b'{"a": ' + b"[" * (1 << 20),
        "a word": b'{"a": ' + b"b" * (1 << 20), "a row of objects": b'{"a": 1}' * (1 << 17),
        "open elements": b"<a" * (1 << 19), "blanks": b" " * (1 << 20)}
# with the graph g.json beside it
EATERS = [["lint", "junk"], ["plan", "junk"], ["plan", "junk", "--from", "tflite"],
          ["plan", "junk", "--from", "onnx"], ["verify", "junk"], ["verify", "g.json", "junk"],
          ["run", "g.json", "--input", "junk"], ["offsets", "junk"], ["convert", "junk"],
          ["diff", "junk", "g.json"], ["check", "--hook", "g.json", "junk"],
          ["lint", "g.json", "--rules", "junk"], ["lint", "g.json", "--config", "junk"],
          ["lint", "g.json", "--baseline", "junk"], ["lint", "g.json", "--board-file", "junk"]]
SMALL = 160 << 20  # bytes of address space, most of them libraries


def eat(command, how):
    """2 GB as a file, on standard input, in a named pipe"""
    words = ["-" if how == "input" and w == "junk" else w for w in command]

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (SMALL, SMALL))
    more = {"preexec_fn": None if sanitized else bound, "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    if how == "file":
        return served.run([tenure, *words], stdin=subprocess.DEVNULL, timeout=60, **more)
    writer = subprocess.Popen(["sh", "-c", "cat junk" if how == "input" else "cat junk >pipe"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    words = ["pipe" if w == "junk" else w for w in words]
    done = served.run([tenure, *words], stdin=writer.stdout, timeout=60, **more)
    writer.stdout.close()
    writer.wait(timeout=60)
    return done


def check_junk():
    n = bad = 0
    with open("g.json", "w") as file:
        json.dump(graph(), file)
    os.mkfifo("pipe")
    for what, start in JUNK.items():
        with open("junk", "wb") as file:
            file.write(start)
            file.truncate(2 * 10**9)
        cases = [(command, "file") for command in EATERS]
        if what in ("zeros", "a letter", "open lists"):
            cases += [(["lint", "junk"], "input"), (["offsets", "junk"], "input"),
                      (["verify", "g.json", "junk"], "input"), (["plan", "junk"], "fifo")]
        for command, how in cases:
            done = eat(command, how)
            n += 1
            # the hook lets alone what is no model
            if done.returncode != (0 if "--hook" in command and "error" not in done.stdout else 2):
                print(f"{what}, {how}, {command}: {done.returncode}\n{done.stdout[:500]}")
                bad += 1
    return n, bad


def tangle(n, op, spread):
    """every op reads two of the twelve tensors before it: the searches have much to do"""
    tensors = [{"name": f"t{i}", "dtype": "f32", "shape": [1, 10 + i * 7919 % spread]}
               for i in range(n)]
    tensors[0]["role"], tensors[-1]["role"] = "input", "output"
    return {"format": "tenure.graph/1", "tensors": tensors, "ops": [
        {"name": f"op{i}", "type": op, "outputs": [f"t{i}"],
         "inputs": [f"t{i - 1 - i * k % min(i, 12)}" for k in (5, 11)]} for i in range(1, n)]}


SEARCHES = [[], ["--schedule", "search"], ["--region", "a:20K", "--region", "b:4M"],
            ["--stream", "auto", "--overlap", "full"]]


def check_searches():
    """by count, the same bytes at any speed; by time, an answer soon after it; in bounded memory"""
    n = bad = 0
    with open("t.json", "w") as file:
        json.dump(tangle(1000, "CUSTOM_TANGLE", 997), file)
    with open("b.json", "w") as file:
        json.dump(tangle(300, "ADD", 1), file)
    with open("p.csv", "w") as file:
        file.write("id,lower,upper,size\n")
        file.writelines(f"b{i},{i % 97},{i % 97 + 1 + i * 31 % 41},{1 + i * 7919 % 997}\n"
                        for i in range(3000))
    for command in [*(["plan", "t.json", *s] for s in SEARCHES),
                    ["plan", "b.json", "--ram", "64K", "--max-batch"], ["offsets", "p.csv"]]:
        few = [run([*command, "--nodes", "500"]) for _ in range(2)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        timed = run([*command, "--time-limit", "0.2"])
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        n += 2
        if any(r.returncode not in (0, 1) for r in (*few, timed)) or few[0].stdout != few[1].stdout:
            print(f"{command}: {timed.returncode} {timed.stderr[-500:]} {few[0].stderr[-500:]}")
            bad += 1
        if took > 60:  # the first answer is looked for at any time, without it there is none
            print(f"{command}: {took} s of CPU")
            bad += 1
    return n, bad


def chain(n):
    names = [f"t{i}" for i in range(n + 1)]
    roles = [{"role": "input"}, *[{}] * (n - 1), {"role": "output"}]
    return {"format": "tenure.graph/1",
            "tensors": [{"name": t, "dtype": "i8", "shape": [64], **r}
                        for t, r in zip(names, roles)],
            "ops": [{"name": f"op{i}", "type": "RELU", "inputs": [names[i]],
                     "outputs": [names[i + 1]]} for i in range(n)]}


def starve(command):
    """from too little memory to enough: until it starts, the loader speaks"""
    seen = set()
    for mib in range(40, 400, 20):
        done = run(command, mib << 20)
        if done.returncode not in (0, 3) or (done.returncode == 3
                                             and "out of memory" not in done.stderr):
            if "error while loading shared libraries" not in done.stderr:
                print(f"{command} with {mib} MiB: status {done.returncode}\n{done.stderr[:500]}")
                return False
        else:
            seen.add(done.returncode)
        if done.returncode == 0:
            break
    if seen != {0, 3}:
        print(f"{command}: ended with {seen} only")
    return seen == {0, 3}


if not sanitized:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("g.json", "w") as file:
            json.dump(chain(15000), file)
        for command in (["lint", "g.json"], ["plan", "g.json"], ["convert", "g.json"],
                        ["report", "g.json", "-o", "r.html"], ["diff", "g.json", "g.json"]):
            wrong += not starve(command)
        os.chdir("/")
counts = []
for check in (check_junk, check_searches):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        done, bad = check()
        os.chdir("/")
    counts.append(done)
    wrong += bad
print(f"{len(ROWS)} limits, {counts[0]} times junk, {counts[1]} searches, {wrong} wrong")
sys.exit(1 if wrong else 0)
