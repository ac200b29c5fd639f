/* The data of the page, and the words for it. Names come from files: they are only ever
   used as text. */
var tenure = (function () {
  "use strict";
  document.documentElement.classList.remove("no-js");
  var raw = JSON.parse(document.getElementById("data").textContent);
  var KINDS = ["activation", "input", "output", "variable", "scratch"];
  var SVG = "http://www.w3.org/2000/svg";

  /* The numbers of a column; columns.h says how they are written. */
  var DIGITS = new Uint8Array(128);
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").forEach(function (letter, k) {
    DIGITS[letter.charCodeAt(0)] = k;
  });
  function numbers(text, n) {
    var out = new Float64Array(n), sums = text[0] === "+", same = text[0] === "*", last = 0, at = 1;
    for (var i = 0; i < (same ? 1 : n); i++) {
      var digit = DIGITS[text.charCodeAt(at++)], odd = digit & 1, value = (digit & 31) >> 1;
      for (var scale = 16; digit & 32; scale *= 32) {
        digit = DIGITS[text.charCodeAt(at++)];
        value += (digit & 31) * scale;
      }
      if (odd) value = -value - 1;
      out[i] = last = sums ? last + value : value;
    }
    return same ? out.fill(last) : out;
  }

  /* A property that is made when it is first asked for. */
  function later(object, name, make) {
    Object.defineProperty(object, name, { configurable: true, enumerable: true, get: function () {
      var value = make();
      Object.defineProperty(object, name, { value: value, enumerable: true });
      return value;
    } });
  }

  function columns(from) {
    var out = { n: from.n };
    Object.keys(from).forEach(function (name) { if (name !== "n") out[name] = numbers(from[name], from.n); });
    return out;
  }

  /* Objects for the records of columns. They hold their number and no more: a column is
     read when somebody first asks one of them for it. more: what else they say of themselves. */
  function records(from, more) {
    function Row(i) { this.i = i; }
    function define(name, get) { Object.defineProperty(Row.prototype, name, { get: get }); }
    Object.keys(from).forEach(function (name) {
      var column = null;
      if (typeof from[name] === "string") define(name, function () {
        column = column || numbers(from[name], from.n);
        return column[this.i];
      });
      else if (name === "name") define(name, function () { return from.name[this.i]; });
    });
    Object.keys(more).forEach(function (name) { define(name, more[name]); });
    var rows = new Array(from.n);
    for (var i = 0; i < from.n; i++) rows[i] = new Row(i);
    return rows;
  }

  /* Parts of a long list: `counts` says how many numbers each record has in it. */
  function parts(rows, count, text) {
    var all = null, starts = null;
    return function () {
      if (!all) {
        starts = new Uint32Array(rows().length + 1);
        rows().forEach(function (row, i) { starts[i + 1] = starts[i] + row[count]; });
        all = numbers(text, starts[starts.length - 1]);
      }
      return all.subarray(starts[this.i], starts[this.i + 1]);
    };
  }

  /* A number for each region, where there are several. */
  function byRegion(texts) {
    var sums = null;
    return function () {
      var i = this.i;
      sums = sums || (texts || []).map(function (text) { return numbers(text, raw.ops.n); });
      return sums.map(function (column) { return column[i]; });
    };
  }

  function text(name) { return function () { return raw.texts[this[name]]; }; }

  /* The buffers of another plan that live as those of the first do. */
  function like(first, offsets) {
    var out = { n: 0 }, here = [];
    offsets.forEach(function (offset, i) { if (offset >= 0) here.push(i); });
    out.n = here.length;
    Object.keys(first).forEach(function (name) {
      if (name === "n") return;
      var column = out[name] = new Float64Array(out.n);
      for (var k = 0; k < out.n; k++)
        column[k] = name === "offset" ? offsets[here[k]] : name === "chain" ? -1 : first[name][here[k]];
    });
    return out;
  }

  /* Which buffer a tensor is in: without views each is in its own. */
  function own(boxes) {
    var of = new Float64Array(raw.tensors.n).fill(-1);
    for (var i = 0; i < boxes.n; i++) if (boxes.tensor[i] >= 0) of[boxes.tensor[i]] = i;
    return of;
  }

  var plans = [];
  raw.plans.forEach(function (p) {
    var plan = { id: p.id, name: p.name, bytes: p.bytes, verified: p.verified,
      marks: p.marks.map(function (m) { return { region: m[0], kind: m[1], name: m[2], bytes: m[3] }; }) };
    later(plan, "boxes", function () {
      return p.like ? like(plans[0].boxes, numbers(p.like[0], plans[0].boxes.n)) : columns(p.boxes);
    });
    later(plan, "of", function () { return p.of ? numbers(p.of[0], raw.tensors.n) : own(plan.boxes); });
    later(plan, "gaps", function () { return columns(p.gaps); });
    later(plan, "views", function () { return columns(p.views); });
    later(plan, "overlaps", function () {
      var rows = records(p.overlaps, { stair: parts(function () { return rows; }, "parts", p.stairs[0]) });
      return rows;
    });
    plans.push(plan);
  });
  var ops = records(raw.ops, {
    position: function () { return this.i; },
    kernel: function () { return raw.variants[this.variant]; },
    inputs: parts(function () { return ops; }, "ins", raw.ops.inputs[0]),
    outputs: parts(function () { return ops; }, "outs", raw.ops.outputs[0]),
    readBy: byRegion(raw.ops.readBy),
    writtenBy: byRegion(raw.ops.writtenBy),
    type: text("kind")
  });
  var tensors = records(raw.tensors, {
    id: function () { return this.i; }, role: text("kind"), dtype: text("type"), shape: text("dims")
  });
  var HOW = ["apart", "in place", "overlap"];
  var decisions = records(raw.decisions, {
    verdict: text("judged"), rule: text("legal"), how: function () { return HOW[this.placed]; },
    witness: function () { return this.seen ? this : null; }
  });

  /* The two reasons that most decisions have are not in the data; all others are. */
  function why(d) {
    var w = d.witness;
    if (d.said > 1) return raw.texts[d.said - 2];
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

  /* What is too large to be exact here does not look as if it were. */
  function number(n) {
    if (Math.abs(n) > Number.MAX_SAFE_INTEGER) return "about " + n.toExponential(3);
    return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  }
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
    var x = tensors[tensor];
    return x.reader >= 0 ? "read for the last time by " + opLabel(x.reader) : raw.texts[x.sentence];
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

  /* The letters of a text, each with all marks that belong to it, and their columns. */
  var PLAIN = /^[\x20-\x7e]*$/, segmenter = window.Intl && Intl.Segmenter ? new Intl.Segmenter("en") : null;
  var WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
  function letters(text) {
    return segmenter ? Array.from(segmenter.segment(text), function (s) { return s.segment; }) : text.match(/\P{M}\p{M}*|\p{M}+/gu) || [];
  }
  function room(list) { return list.reduce(function (n, letter) { return n + (WIDE.test(letter) ? 2 : 1); }, 0); }
  function width(text) { return PLAIN.test(text) ? text.length : room(letters(text)); }

  /* As many letters as find room, from the start or from the end. */
  function fitting(list, columns, fromEnd) {
    var k = 0, used = 0;
    for (; k < list.length; k++) {
      used += room([list[fromEnd ? list.length - 1 - k : k]]);
      if (used > columns) break;
    }
    return (fromEnd ? list.slice(list.length - k) : list.slice(0, k)).join("");
  }

  function shorten(text, columns) {
    if (width(text) <= columns) return text;
    var head = Math.floor((columns - 2) / 3), list = letters(text); /* as tn_escape_short */
    return fitting(list, head, false) + ".." + fitting(list, columns - 2 - head, true);
  }

  /* The same for a label: of a few letters the last ones say most. */
  function tail(text, columns) {
    return width(text) <= columns || columns >= 20 ? shorten(text, columns) : ".." + fitting(letters(text), columns - 2, true);
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
    stepWords: stepWords, lifeWords: lifeWords, heldAt: heldAt, taken: taken, shorten: shorten, tail: tail, width: width,
    element: element, shape: shape, link: link
  };
})();
