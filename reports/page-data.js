/* The data of the page, and the words for it. Names come from files: they are only ever
   used as text. */
var tenure = (function () {
  "use strict";
  document.documentElement.classList.remove("no-js");
  var raw = JSON.parse(document.getElementById("data").textContent);
  var KINDS = ["activation", "input", "output", "variable", "scratch"];
  var SVG = "http://www.w3.org/2000/svg";

  /* Records of `width` numbers each, one array a column. */
  function columns(flat, names, width) {
    var n = flat.length / width, out = { n: n };
    names.forEach(function (name, k) {
      var column = out[name] = new Float64Array(n);
      for (var i = 0; i < n; i++) column[i] = flat[i * width + k];
    });
    return out;
  }

  var COLUMNS = ["kind", "tensor", "op", "region", "begin", "end", "last", "offset", "bytes", "chain"];

  /* The buffers of another plan that live as those of the first do. */
  function like(first, offsets) {
    var out = { n: 0 }, here = [];
    offsets.forEach(function (offset, i) { if (offset >= 0) here.push(i); });
    out.n = here.length;
    COLUMNS.forEach(function (name) {
      var column = out[name] = new Float64Array(out.n);
      for (var k = 0; k < out.n; k++)
        column[k] = name === "offset" ? offsets[here[k]] : name === "chain" ? -1 : first[name][here[k]];
    });
    return out;
  }

  /* Which buffer a tensor is in: without views each is in its own. */
  function own(boxes) {
    var of = raw.tensors.map(function () { return -1; });
    for (var i = 0; i < boxes.n; i++) if (boxes.tensor[i] >= 0) of[boxes.tensor[i]] = i;
    return of;
  }

  var first = null;
  var plans = raw.plans.map(function (p) {
    var boxes = p.like ? like(first, p.like) : columns(p.boxes, COLUMNS, 10);
    first = first || boxes;
    return {
      id: p.id, name: p.name, bytes: p.bytes, verified: p.verified, of: p.of && p.of.length ? p.of : own(boxes),
      boxes: boxes,
      gaps: columns(p.gaps, ["region", "begin", "end", "offset", "bytes"], 5),
      views: columns(p.views, ["tensor", "region", "begin", "end", "offset", "bytes"], 6),
      marks: p.marks.map(function (m) { return { region: m[0], kind: m[1], name: m[2], bytes: m[3] }; }),
      overlaps: p.overlaps.map(function (o) {
        return { under: o[0], over: o[1], op: o[2], region: o[3], begin: o[4], end: o[5],
          descending: o[6][0] === 1, stair: o[6].slice(1) };
      })
    };
  });
  var ops = raw.ops.map(function (o, position) {
    return { position: position, name: o[0], type: raw.texts[o[1]], elided: o[2] === 1, live: o[3], macs: o[4],
      read: o[5], written: o[6], constants: o[7], scratch: o[8], kernel: raw.variants[o[9]], inputs: o[10], outputs: o[11],
      readBy: o[12], writtenBy: o[13] };
  });
  var tensors = raw.tensors.map(function (t, id) {
    return { id: id, name: t[0], role: raw.texts[t[1]], dtype: raw.texts[t[2]], shape: raw.texts[t[3]], bytes: t[4], region: t[5],
      offset: t[6], first: t[7], last: t[8], root: t[9], life: t[10] };
  });
  var decisions = raw.decisions.map(function (d) {
    return { op: d[0], input: d[1], output: d[2], verdict: d[3], saves: d[4], shared: d[5],
      how: ["apart", "in place", "overlap"][d[6]], obligation: d[7], said: d[8], rule: d[9], variant: d[10],
      witness: d[11] && { writer: d[11][0], victim: d[11][1], reader: d[11][2], begin: d[11][3], end: d[11][4] } };
  });

  /* The two reasons that most decisions have are not in the data; all others are. */
  function why(d) {
    var w = d.witness;
    if (typeof d.said === "string") return d.said;
    if (d.said === 0) return "nobody reads " + quoted(d.input) + " later, and " + quotedOp(d.op) +
      " reads each byte before it writes over it (" + raw.variants[d.variant] + ")";
    return quotedOp(w.reader) + " still reads bytes [" + w.begin + ", " + w.end + ") of " + quoted(w.victim) +
      " after " + quotedOp(w.writer) + " would have written over them";
  }

  function rests(d) {
    return d.variant < 0 ? "" : "the kernel contract of " + ops[d.op].type + ", " + raw.variants[d.variant];
  }

  function quoted(tensor) { return "'" + shorten(tensors[tensor].name, 48) + "'"; }
  function quotedOp(position) { return "'" + shorten(ops[position].name, 48) + "' (op " + position + ")"; }

  /* Which ops touch a tensor: lists of positions, made when first asked for. */
  var uses = null;
  function usesOf(tensor) {
    if (!uses) {
      uses = new Map();
      ops.forEach(function (op) {
        [["inputs", "readers"], ["outputs", "writers"]].forEach(function (side) {
          op[side[0]].forEach(function (t) {
            if (t < 0) return;
            if (!uses.has(t)) uses.set(t, { readers: [], writers: [] });
            var list = uses.get(t)[side[1]];
            if (list[list.length - 1] !== op.position) list.push(op.position);
          });
        });
      });
    }
    return uses.get(tensor) || { readers: [], writers: [] };
  }

  var byTensor = null;
  function decisionsOf(tensor) {
    if (!byTensor) {
      byTensor = new Map();
      decisions.forEach(function (d) {
        [d.input, d.output].forEach(function (t) {
          if (!byTensor.has(t)) byTensor.set(t, []);
          byTensor.get(t).push(d);
        });
      });
    }
    return byTensor.get(tensor) || [];
  }

  function number(n) { return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ","); }
  function bytes(n) { return number(n) + " B"; }
  function opLabel(position) { return ops[position].name + " (op " + position + ")"; }

  function boxName(plan, i) {
    var b = plan.boxes;
    return b.tensor[i] < 0 ? "scratch of " + ops[b.op[i]].name : tensors[b.tensor[i]].name;
  }

  function stepWords(step) {
    var op = ops[Math.floor(step / 2)];
    return op ? "op " + op.position + ", " + op.name + (step % 2 ? ", writes" : ", reads")
      : "the caller reads the outputs";
  }

  /* Why its bytes stay, in a sentence. */
  function lifeWords(tensor) {
    var life = tensors[tensor].life;
    return typeof life === "number" ? "read for the last time by " + opLabel(life) : life;
  }

  function heldAt(plan, step) {
    var b = plan.boxes, list = [];
    for (var i = 0; i < b.n; i++) if (b.begin[i] <= step && step < b.end[i]) list.push(i);
    return list;
  }

  /* Bytes that hold something: shared ones count once. */
  function taken(plan, list) {
    var b = plan.boxes, end = {}, sum = 0;
    list.slice().sort(function (x, y) { return b.offset[x] - b.offset[y]; }).forEach(function (i) {
      var from = Math.max(b.offset[i], end[b.region[i]] || 0), to = b.offset[i] + b.bytes[i];
      sum += Math.max(0, to - from);
      end[b.region[i]] = Math.max(to, end[b.region[i]] || 0);
    });
    return sum;
  }

  function shorten(text, columns) {
    if (text.length <= columns) return text;
    var head = Math.ceil((columns - 2) / 2);
    return text.slice(0, head) + ".." + text.slice(text.length - (columns - 2 - head));
  }

  function element(name, className, text) {
    var node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function shape(parent, name, className, attributes) {
    var node = document.createElementNS(SVG, name);
    if (className) node.setAttribute("class", className);
    for (var key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(node);
    return node;
  }

  function link(box, text) {
    var a = element("a", null, text);
    a.href = "#b" + box;
    return a;
  }

  return {
    verified: raw.verified, steps: raw.steps, peak: raw.peak, regions: raw.regions.map(function (r) {
      return { name: r[0], align: r[1], cost: r[2] };
    }),
    board: raw.board.length ? { title: raw.board[0], cpu: raw.board[1], mhz: raw.board[2] } : null,
    obligations: raw.obligations, cores: raw.cores.map(function (c) {
      return { name: c[0], macs: c[1] / 100, bytes: c[2] / 100, estimate: c[3] === 1, source: c[4] };
    }),
    plans: plans, ops: ops, tensors: tensors, decisions: decisions, kinds: KINDS,
    usesOf: usesOf, decisionsOf: decisionsOf, why: why, rests: rests, number: number, bytes: bytes, opLabel: opLabel, boxName: boxName,
    stepWords: stepWords, lifeWords: lifeWords, heldAt: heldAt, taken: taken, shorten: shorten,
    element: element, shape: shape, link: link
  };
})();
