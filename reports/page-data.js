/* The data of the page, and the words for it. Names come from files: they are only ever
   used as text. */
var tenure = (function () {
  "use strict";
  document.documentElement.classList.remove("no-js");
  var raw = JSON.parse(document.getElementById("data").textContent);
  var KINDS = ["activation", "input", "output", "variable", "scratch"];
  var SVG = "http://www.w3.org/2000/svg";

  /* The numbers of a column; columns.h says how they are written. Where one is larger than
     a number can be exactly, `big` has it as it is: pictures do without, texts do not. */
  var DIGITS = new Uint8Array(128), EXACT = Number.MAX_SAFE_INTEGER;
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").forEach(function (letter, k) {
    DIGITS[letter.charCodeAt(0)] = k;
  });
  function big(text, at) {
    var digit = DIGITS[text.charCodeAt(at++)], odd = digit & 1, value = BigInt((digit & 31) >> 1);
    for (var scale = BigInt(16); digit & 32; scale *= BigInt(32)) {
      digit = DIGITS[text.charCodeAt(at++)];
      value += BigInt(digit & 31) * scale;
    }
    return odd ? -value - BigInt(1) : value;
  }
  function numbers(text, n) {
    var out = new Float64Array(n), sums = text[0] === "+", same = text[0] === "*", last = 0, at = 1;
    for (var i = 0; i < (same ? 1 : n); i++) {
      var start = at, digit = DIGITS[text.charCodeAt(at++)], odd = digit & 1, value = (digit & 31) >> 1;
      for (var scale = 16; digit & 32; scale *= 32) {
        digit = DIGITS[text.charCodeAt(at++)];
        value += (digit & 31) * scale;
      }
      if (value > EXACT) put(out, i, big(text, start));
      if (odd) value = -value - 1;
      out[i] = last = sums ? last + value : value;
    }
    out.same = same;
    return same ? out.fill(last) : out;
  }
  function put(column, i, value) {
    column.big = column.big || new Map();
    column.big.set(i, value);
  }

  /* An entry of a column as it is: a number, or a BigInt where that is not exact. */
  function exact(column, i) {
    var k = column.same ? 0 : i;
    return column.big && column.big.has(k) ? column.big.get(k) : column[i];
  }
  function exactly(text) { return Math.abs(Number(text)) > EXACT ? BigInt(text) : Number(text); }
  function plus(a, b) {
    var sum = Number(a) + Number(b);
    return Math.abs(sum) > EXACT || typeof a !== typeof b || typeof a === "bigint" ? exactly(BigInt(a) + BigInt(b)) : sum;
  }
  function minus(a, b) { return plus(a, -b); }
  function compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }

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
    var made = {};
    function column(name) { return made[name] || (made[name] = numbers(from[name], from.n)); }
    Object.keys(from).forEach(function (name) {
      if (typeof from[name] === "string") define(name, function () { return column(name)[this.i]; });
      else if (name === "name") define(name, function () { return from.name[this.i]; });
    });
    Row.prototype.exact = function (name) { return exact(column(name), this.i); };
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

  /* A column for each region, where there are several. */
  function byRegion(texts) {
    var made = null;
    return function () { return made || (made = (texts || []).map(function (text) { return numbers(text, raw.ops.n); })); };
  }
  function entries(columns) {
    return function () {
      var i = this.i;
      return columns().map(function (column) { return column[i]; });
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
      var column = out[name] = new Float64Array(out.n), from = name === "offset" ? offsets : first[name];
      here.forEach(function (i, k) {
        var value = name === "chain" ? -1 : exact(from, i);
        column[k] = Number(value);
        if (typeof value === "bigint") put(column, k, value);
      });
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
    var plan = { id: p.id, name: p.name, bytes: Number(p.bytes), exact: exactly(p.bytes), verified: p.verified,
      marks: p.marks.map(function (m) { return { region: m[0], kind: m[1], name: m[2], bytes: Number(m[3]), exact: exactly(m[3]) }; }) };
    later(plan, "boxes", function () {
      return p.like ? like(plans[0].boxes, numbers(p.like[0], plans[0].boxes.n)) : columns(p.boxes);
    });
    later(plan, "of", function () { return p.of ? numbers(p.of[0], raw.tensors.n) : own(plan.boxes); });
    plan.streams = p.streams.map(function (s) {
      return { first: s[0], ops: s[1], descending: s[2] === 1, loops: s.slice(3).map(function (loop) {
        return { times: loop[0], events: loop.slice(1).map(function (e) { return { op: e[0], row: e[1], rows: e[2], step: e[3] }; }) };
      }) };
    });
    later(plan, "gaps", function () { return columns(p.gaps); });
    later(plan, "views", function () { return columns(p.views); });
    later(plan, "overlaps", function () {
      var rows = records(p.overlaps, { stair: parts(function () { return rows; }, "parts", p.stairs[0]) });
      return rows;
    });
    plans.push(plan);
  });
  var readBy = byRegion(raw.ops.readBy), writtenBy = byRegion(raw.ops.writtenBy);
  var ops = records(raw.ops, {
    position: function () { return this.i; },
    kernel: function () { return raw.variants[this.variant]; },
    inputs: parts(function () { return ops; }, "ins", raw.ops.inputs[0]),
    outputs: parts(function () { return ops; }, "outs", raw.ops.outputs[0]),
    readBy: entries(readBy),
    writtenBy: entries(writtenBy),
    movedBy: function () {
      var i = this.i;
      return readBy().map(function (column, r) { return plus(exact(column, i), exact(writtenBy()[r], i)); });
    },
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
    return quotedOp(w.reader) + " still reads bytes [" + w.exact("begin") + ", " + w.exact("end") + ") of " + quoted(w.victim) +
      " after " + quotedOp(w.writer) + " would have written over them";
  }

  /* A chain runs row by row: what was decided about an op of it is about the op alone. */
  function chainWords(position) {
    var s = plans[0].streams.filter(function (x) { return position >= x.first && position < x.first + x.ops; })[0];
    return s ? "ops " + s.first + " to " + (s.first + s.ops - 1) + " run row by row: the displacement of the whole chain holds, not the op's" : "";
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

  /* What has been calculated, and is too large to be exact, does not look as if it were. */
  function number(n) {
    if (typeof n === "number" && Math.abs(n) > EXACT) return "about " + n.toExponential(3);
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
    return op ? "op " + op.position + ", " + shorten(op.name, 64) + (step % 2 ? ", writes" : ", reads")
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
    list.slice().sort(function (x, y) { return compare(exact(b.offset, x), exact(b.offset, y)); }).forEach(function (i) {
      var from = exact(b.offset, i), to = boxEnd(plan, i), seen = end[b.region[i]] || 0;
      if (seen > from) from = seen;
      if (to <= from) return;
      sum = plus(sum, minus(to, from));
      end[b.region[i]] = to;
    });
    return sum;
  }
  function boxBytes(plan, i) { return exact(plan.boxes.bytes, i); }
  function boxOffset(plan, i) { return exact(plan.boxes.offset, i); }
  function boxEnd(plan, i) { return plus(boxOffset(plan, i), boxBytes(plan, i)); }

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

  /* Marks on one letter that are drawn, as in report/escape.c: more would be painted over other rows. */
  function calm(text) { return PLAIN.test(text) ? text : text.replace(/(\p{M}{4})\p{M}+/gu, "$1"); }

  /* The whole name, for a title; one of thousands of letters covers the page. */
  function whole(text) { return text.length > 1000 ? shorten(text, 500) : text; }

  function shorten(text, columns) {
    text = calm(text);
    if (width(text) <= columns) return text;
    if (text.indexOf(";") > 0) {
      text = brief(text);
      if (width(text) + 2 <= columns) return text + "..";
    }
    var head = Math.floor((columns - 2) / 3), list = letters(text); /* as tn_escape_short */
    return fitting(list, head, false) + ".." + fitting(list, columns - 2 - head, true);
  }

  /* Converters join the names of all that they have fused, with semicolons: the first one
     is that of the result, and says enough where there is little room. */
  function brief(text) {
    var end = text.indexOf(";");
    return end > 0 ? text.slice(0, end) : text;
  }

  /* The same for a label: of a few letters the last ones say most. */
  function tail(text, columns) {
    text = calm(text);
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
      return { name: r[0], align: Number(r[1]), cost: Number(r[2]), times: exactly(r[2]) };
    }),
    board: raw.board.length ? { title: raw.board[0], cpu: raw.board[1], mhz: raw.board[2] } : null,
    obligations: raw.obligations, cores: raw.cores.map(function (c) {
      return { name: c[0], macs: c[1] / 100, bytes: c[2] / 100, estimate: c[3] === 1, source: c[4] };
    }),
    plans: plans, ops: ops, tensors: tensors, decisions: decisions, kinds: KINDS,
    usesOf: usesOf, decisionsOf: decisionsOf, why: why, rests: rests, chainWords: chainWords, number: number, bytes: bytes, opLabel: opLabel, boxName: boxName,
    exact: exact, boxBytes: boxBytes, boxOffset: boxOffset, boxEnd: boxEnd, minus: minus, compare: compare,
    stepWords: stepWords, lifeWords: lifeWords, heldAt: heldAt, taken: taken, shorten: shorten, brief: brief, whole: whole, tail: tail, width: width,
    element: element, shape: shape, link: link
  };
})();
